// SPDX-License-Identifier: Apache-2.0
//
// Converts between units of one dimension. The list of units is the whole of
// it: a unit is its symbol, its dimension, its size in the base unit (SI, but
// degC for temperatures), and for temperatures what its scale shows at 0 degC.
#include <math.h>
#include <mica/engine.h>

// X(constant, symbol, dimension, size, zero): a value v is (v - zero) × size in
// the base unit.
#define UNITS(X)                                                    \
    X(METRE, "m", LENGTH, 1, 0)                                     \
    X(KILOMETRE, "km", LENGTH, 1000, 0)                             \
    X(CENTIMETRE, "cm", LENGTH, 0.01, 0)                            \
    X(MILLIMETRE, "mm", LENGTH, 0.001, 0)                           \
    X(MICROMETRE, "um", LENGTH, 1e-6, 0)                            \
    X(NANOMETRE, "nm", LENGTH, 1e-9, 0)                             \
    X(INCH, "in", LENGTH, 0.0254, 0)                                \
    X(FOOT, "ft", LENGTH, 0.3048, 0)                                \
    X(YARD, "yd", LENGTH, 0.9144, 0)                                \
    X(MILE, "mi", LENGTH, 1609.344, 0)                              \
    X(NAUTICAL_MILE, "nmi", LENGTH, 1852, 0)                        \
    X(ASTRONOMICAL_UNIT, "au", LENGTH, 149597870700, 0)             \
    X(LIGHT_YEAR, "ly", LENGTH, 9460730472580800, 0)                \
    X(KILOGRAM, "kg", MASS, 1, 0)                                   \
    X(GRAM, "g", MASS, 0.001, 0)                                    \
    X(MILLIGRAM, "mg", MASS, 1e-6, 0)                               \
    X(MICROGRAM, "ug", MASS, 1e-9, 0)                               \
    X(TONNE, "t", MASS, 1000, 0)                                    \
    X(OUNCE, "oz", MASS, 0.028349523125, 0)                         \
    X(POUND, "lb", MASS, 0.45359237, 0)                             \
    X(STONE, "st", MASS, 6.35029318, 0)                             \
    X(TON_US, "ton_us", MASS, 907.18474, 0)                         \
    X(TON_UK, "ton_uk", MASS, 1016.0469088, 0)                      \
    X(TROY_OUNCE, "oz_troy", MASS, 0.0311034768, 0)                 \
    X(CARAT, "ct", MASS, 0.0002, 0)                                 \
    X(KELVIN, "K", TEMPERATURE, 1, 273.15)                          \
    X(CELSIUS, "degC", TEMPERATURE, 1, 0)                           \
    X(FAHRENHEIT, "degF", TEMPERATURE, 5. / 9, 32)                  \
    X(RANKINE, "degR", TEMPERATURE, 5. / 9, 491.67)                 \
    X(CUBIC_METRE, "m3", VOLUME, 1, 0)                              \
    X(LITRE, "L", VOLUME, 0.001, 0)                                 \
    X(CENTILITRE, "cL", VOLUME, 1e-5, 0)                            \
    X(MILLILITRE, "mL", VOLUME, 1e-6, 0)                            \
    X(CUBIC_CENTIMETRE, "cm3", VOLUME, 1e-6, 0)                     \
    X(CUBIC_INCH, "in3", VOLUME, 1.6387064e-5, 0)                   \
    X(CUBIC_FOOT, "ft3", VOLUME, 0.028316846592, 0)                 \
    X(TEASPOON_US, "tsp_us", VOLUME, 4.92892159375e-6, 0)           \
    X(TABLESPOON_US, "tbsp_us", VOLUME, 1.478676478125e-5, 0)       \
    X(FLUID_OUNCE_US, "floz_us", VOLUME, 2.95735295625e-5, 0)       \
    X(CUP_US, "cup_us", VOLUME, 2.365882365e-4, 0)                  \
    X(PINT_US, "pt_us", VOLUME, 4.73176473e-4, 0)                   \
    X(QUART_US, "qt_us", VOLUME, 9.46352946e-4, 0)                  \
    X(GALLON_US, "gal_us", VOLUME, 3.785411784e-3, 0)               \
    X(FLUID_OUNCE_UK, "floz_uk", VOLUME, 2.84130625e-5, 0)          \
    X(PINT_UK, "pt_uk", VOLUME, 5.6826125e-4, 0)                    \
    X(GALLON_UK, "gal_uk", VOLUME, 4.54609e-3, 0)                   \
    X(BARREL, "bbl", VOLUME, 0.158987294928, 0)                     \
    X(SQUARE_METRE, "m2", AREA, 1, 0)                               \
    X(SQUARE_KILOMETRE, "km2", AREA, 1e6, 0)                        \
    X(SQUARE_CENTIMETRE, "cm2", AREA, 1e-4, 0)                      \
    X(ARE, "a", AREA, 100, 0)                                       \
    X(HECTARE, "ha", AREA, 1e4, 0)                                  \
    X(SQUARE_INCH, "in2", AREA, 6.4516e-4, 0)                       \
    X(SQUARE_FOOT, "ft2", AREA, 0.09290304, 0)                      \
    X(SQUARE_YARD, "yd2", AREA, 0.83612736, 0)                      \
    X(ACRE, "acre", AREA, 4046.8564224, 0)                          \
    X(SQUARE_MILE, "mi2", AREA, 2589988.110336, 0)                  \
    X(METRE_PER_SECOND, "m/s", SPEED, 1, 0)                         \
    X(KILOMETRE_PER_HOUR, "km/h", SPEED, 1 / 3.6, 0)                \
    X(MILE_PER_HOUR, "mph", SPEED, 0.44704, 0)                      \
    X(FOOT_PER_SECOND, "ft/s", SPEED, 0.3048, 0)                    \
    X(KNOT, "kn", SPEED, 1852. / 3600, 0)                           \
    X(SECOND, "s", TIME, 1, 0)                                      \
    X(NANOSECOND, "ns", TIME, 1e-9, 0)                              \
    X(MICROSECOND, "us", TIME, 1e-6, 0)                             \
    X(MILLISECOND, "ms", TIME, 0.001, 0)                            \
    X(MINUTE, "min", TIME, 60, 0)                                   \
    X(HOUR, "h", TIME, 3600, 0)                                     \
    X(DAY, "d", TIME, 86400, 0)                                     \
    X(WEEK, "wk", TIME, 604800, 0)                                  \
    X(JULIAN_YEAR, "yr", TIME, 31557600, 0)                         \
    X(BYTE, "B", DATA, 8, 0)                                        \
    X(BIT, "bit", DATA, 1, 0)                                       \
    X(KILOBIT, "kbit", DATA, 1e3, 0)                                \
    X(MEGABIT, "Mbit", DATA, 1e6, 0)                                \
    X(GIGABIT, "Gbit", DATA, 1e9, 0)                                \
    X(KILOBYTE, "kB", DATA, 8e3, 0)                                 \
    X(MEGABYTE, "MB", DATA, 8e6, 0)                                 \
    X(GIGABYTE, "GB", DATA, 8e9, 0)                                 \
    X(TERABYTE, "TB", DATA, 8e12, 0)                                \
    X(PETABYTE, "PB", DATA, 8e15, 0)                                \
    X(KIBIBYTE, "KiB", DATA, 8192, 0)                               \
    X(MEBIBYTE, "MiB", DATA, 8388608, 0)                            \
    X(GIBIBYTE, "GiB", DATA, 8589934592, 0)                         \
    X(TEBIBYTE, "TiB", DATA, 8796093022208, 0)                      \
    X(JOULE, "J", ENERGY, 1, 0)                                     \
    X(KILOJOULE, "kJ", ENERGY, 1e3, 0)                              \
    X(MEGAJOULE, "MJ", ENERGY, 1e6, 0)                              \
    X(CALORIE, "cal", ENERGY, 4.184, 0)                             \
    X(KILOCALORIE, "kcal", ENERGY, 4184, 0)                         \
    X(WATT_HOUR, "Wh", ENERGY, 3600, 0)                             \
    X(KILOWATT_HOUR, "kWh", ENERGY, 3.6e6, 0)                       \
    X(BTU, "BTU", ENERGY, 1055.05585262, 0)                         \
    X(ELECTRONVOLT, "eV", ENERGY, 1.602176634e-19, 0)               \
    X(FOOT_POUND, "ft_lbf", ENERGY, 1.3558179483314004, 0)          \
    X(PASCAL, "Pa", PRESSURE, 1, 0)                                 \
    X(HECTOPASCAL, "hPa", PRESSURE, 100, 0)                         \
    X(KILOPASCAL, "kPa", PRESSURE, 1e3, 0)                          \
    X(MEGAPASCAL, "MPa", PRESSURE, 1e6, 0)                          \
    X(MILLIBAR, "mbar", PRESSURE, 100, 0)                           \
    X(BAR, "bar", PRESSURE, 1e5, 0)                                 \
    X(ATMOSPHERE, "atm", PRESSURE, 101325, 0)                       \
    X(TORR, "Torr", PRESSURE, 101325. / 760, 0)                     \
    X(MILLIMETRE_OF_MERCURY, "mmHg", PRESSURE, 133.322387415, 0)    \
    X(INCH_OF_MERCURY, "inHg", PRESSURE, 3386.388640341, 0)         \
    X(POUND_PER_SQUARE_INCH, "psi", PRESSURE, 6894.757293168361, 0) \
    X(WATT, "W", POWER, 1, 0)                                       \
    X(KILOWATT, "kW", POWER, 1e3, 0)                                \
    X(MEGAWATT, "MW", POWER, 1e6, 0)                                \
    X(HORSEPOWER, "hp", POWER, 745.6998715822702, 0)                \
    X(METRIC_HORSEPOWER, "PS", POWER, 735.49875, 0)

enum dimension {
    LENGTH,
    MASS,
    TEMPERATURE,
    VOLUME,
    AREA,
    SPEED,
    TIME,
    DATA,
    ENERGY,
    PRESSURE,
    POWER
};
MICA_CHOICES(
    dimension, [LENGTH] = "length", [MASS] = "mass",
    [TEMPERATURE] = "temperature", [VOLUME] = "volume", [AREA] = "area",
    [SPEED] = "speed", [TIME] = "time", [DATA] = "data", [ENERGY] = "energy",
    [PRESSURE] = "pressure", [POWER] = "power");

#define CONSTANT(constant, symbol, dimension, size, zero) constant,
enum unit {
    UNITS(CONSTANT)
};
#define SYMBOL(constant, symbol, dimension, size, zero) [constant] = symbol,
MICA_CHOICES(unit, UNITS(SYMBOL));

static const struct {
    enum dimension dimension;
    double size, zero;
} units[] = {
#define UNIT(constant, symbol, dimension, size, zero) {dimension, size, zero},
    UNITS(UNIT)};

struct input {
    double value;
    enum unit from, to;
    int64_t significant_digits;
};
MICA_RECORD(
    input,
    MICA_NUMBER(value, "The value to convert, in its unit.", .minimum = -1e100,
                .maximum = 1e100, .unit = "from"),
    MICA_CHOICE(from, unit,
                "Unit of value. US and UK measures end in _us and _uk, K and "
                "degC are temperatures, kB is 1000 and KiB 1024 bytes, yr has "
                "365.25 days."),
    MICA_CHOICE(to, unit, "Unit to convert to, of the same dimension as from."),
    MICA_INTEGER(significant_digits,
                 "Digits of the result that count; the rest is rounded.",
                 .minimum = 1, .maximum = 15, .fallback = MICA_JSON(12)));

struct output {
    double result;
    enum unit unit;
    enum dimension dimension;
    struct mica_text expression;
};
MICA_RECORD(output, MICA_NUMBER(result, "The converted value.", .unit = "unit"),
            MICA_CHOICE(unit, unit, "Unit of result."),
            MICA_CHOICE(dimension, dimension, "What both units measure."),
            MICA_TEXT(expression, "Both values, e.g. '5 mi = 8.04672 km'."));

// To `digits` significant digits, by way of its decimal text: exact where
// scaling by a power of ten is not.
static double
rounded(struct mica_call *call, double value, int64_t digits)
{
    struct mica_text text;
    int exponent;

    if (fabs(value) < 1e-300) {
        return value;
    }
    exponent = (int)floor(log10(fabs(value)));
    text = mica_format(call, "%se%d",
                       mica_fixed(call, value / mica_power_of_ten(exponent),
                                  (unsigned)digits - 1),
                       exponent);
    return mica_number_read(text, &value) ? value : 0;
}

static struct mica_text
siblings(struct mica_call *call, enum dimension dimension)
{
    struct mica_buffer list = mica_builder(call);

    for (size_t i = 0; i < MICA_COUNT(units); i++) {
        if (units[i].dimension == dimension) {
            mica_buffer_format(&list, "%s%s", list.len > 0 ? ", " : "",
                               mica_choices_unit[i]);
        }
    }
    return mica_buffer_as_text(&list);
}

// From the base unit. Where a shifted zero leaves less than the noise of the
// subtraction, the answer is 0.
static double
in_unit(double base, enum unit unit)
{
    double scaled = base / units[unit].size, zero = units[unit].zero;

    return fabs(scaled + zero) < fabs(zero) * 1e-13 ? 0 : scaled + zero;
}

static enum mica_status
convert(struct mica_call *call, const struct input *in, struct output *out)
{
    static const double absolute_zero = -273.15;
    const char *from = mica_choices_unit[in->from];
    enum dimension dimension = units[in->from].dimension;
    double base = (in->value - units[in->from].zero) * units[in->from].size;

    if (dimension != units[in->to].dimension) {
        struct mica_text possible = siblings(call, dimension);

        return mica_fail(
            call, "DIMENSION_MISMATCH", "to",
            "Cannot convert from=%s, a unit of %s, to=%s, a unit of %s. Pass "
            "one of these as to: %.*s.",
            from, mica_choices_dimension[dimension], mica_choices_unit[in->to],
            mica_choices_dimension[units[in->to].dimension],
            MICA_ARG(possible));
    }
    if (dimension == TEMPERATURE && base < absolute_zero - 1e-9) {
        return mica_fail(
            call, "BELOW_ABSOLUTE_ZERO", "value",
            "value=%s %s lies below absolute zero, which is %s %s. Pass a "
            "higher temperature.",
            mica_number(call, in->value), from,
            mica_number(call,
                        rounded(call, in_unit(absolute_zero, in->from), 12)),
            from);
    }
    out->result = rounded(call, in_unit(base, in->to), in->significant_digits);
    out->unit = in->to;
    out->dimension = dimension;
    out->expression =
        mica_format(call, "%s %s = %s %s", mica_number(call, in->value), from,
                    mica_number(call, out->result), mica_choices_unit[in->to]);
    return MICA_OK;
}

MICA_ENGINE(
    unit_converter, input, output, convert, .title = "Unit converter",
    .category = "measure",
    .description =
        "Convert a value between units of length, mass, temperature, volume, "
        "area, speed, time, data, energy, pressure or power. Both units must "
        "measure the same thing.",
    .examples = MICA_EXAMPLES(
        {"Miles to kilometres",
         MICA_JSON({"value": 5, "from": "mi", "to": "km"}), MICA_JSON({
             "result": 8.04672,
             "unit": "km",
             "dimension": "length",
             "expression": "5 mi = 8.04672 km"
         })},
        {"Boiling water",
         MICA_JSON({"value": 100, "from": "degC", "to": "degF"}),
         MICA_JSON({"result": 212, "unit": "degF"})},
        {"Freezing water",
         MICA_JSON({"value": 32, "from": "degF", "to": "degC"}),
         MICA_JSON({"result": 0, "unit": "degC"})},
        {"A disk in binary units",
         MICA_JSON(
             {"value": 1, "from": "TB", "to": "GiB", "significant_digits": 4}),
         MICA_JSON({"result": 931.3})},
        {"Nothing is nothing",
         MICA_JSON({"value": 0, "from": "lb", "to": "kg"}),
         MICA_JSON({"result": 0, "unit": "kg"})},
        {"Mass is no length", MICA_JSON({"value": 1, "from": "kg", "to": "m"}),
         .error = "DIMENSION_MISMATCH"},
        {"Colder than cold",
         MICA_JSON({"value": -300, "from": "degC", "to": "K"}),
         .error = "BELOW_ABSOLUTE_ZERO"}));
