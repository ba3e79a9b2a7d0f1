# SPDX-License-Identifier: Apache-2.0
"""Random inputs of the engines of money, and what they must answer.

The answers are worked out a second time, by Python's decimal module (libmpdec)
with 150 digits, from what the engines' descriptions say. The inputs come from a
generator of our own, so that they are the same with every Python. The first
thousand of a loan and of savings lie at the borders of what the engines take, and
are worked out with 420 digits.
"""
import decimal
from decimal import Decimal

CASES = 100_000  # of each engine
BLOCK = 1000     # cases behind one digest

exact = decimal.Context(prec=150, Emin=-9999, Emax=9999)
decimal.setcontext(exact)
DIGITS = {"EUR": 2, "USD": 2, "JPY": 0, "KRW": 0, "KWD": 3, "BHD": 3, "CLF": 4,
          "CHF": 2, "TND": 3, "UYW": 4}
ROUNDINGS = {"half-up": decimal.ROUND_HALF_UP,
             "half-even": decimal.ROUND_HALF_EVEN, "down": decimal.ROUND_DOWN}
TIMES = {"yearly": 1, "half-yearly": 2, "quarterly": 4, "monthly": 12,
         "daily": 365, "continuous": 0}


# Rates of a year at the border of what 72 digits show.
TINY = [Decimal(0)] + [Decimal(f"{text}e-{power}")
                       for text in ("1", "9.99999999999999999999999999999999")
                       for power in (99, 60, 45, 30, 29, 28, 27, 20, 9)]
# Below 0 a smaller one may take less off half a cent than the 50 digits show that
# mica_decimal_settle believes: that is rounded as half a cent.
LEAST = Decimal("1e-31")


class Number(str):
    """A number of JSON that keeps its text."""


class Random:
    """SplitMix64 (Steele, Lea, Flood 2014)."""

    def __init__(self, engine, number):
        self.state = int.from_bytes(engine.encode()[:6], "big") * 10**7 + number
        self.at_border = number < BLOCK

    def next(self):
        self.state = (self.state + 0x9E3779B97F4A7C15) % 2**64
        z = self.state
        z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9 % 2**64
        z = (z ^ z >> 27) * 0x94D049BB133111EB % 2**64
        return z ^ z >> 31

    def below(self, bound):
        return self.next() * bound >> 64

    def pick(self, values):
        return values[self.below(len(values))]

    def digits(self, most):
        """A whole number with 1 to `most` digits, often of 0, 5 and 9 at its end."""
        count = 1 + self.below(most)
        value = self.next() * 2**64 + self.next()
        text = str(value % 10**count)
        if self.below(3) == 0:
            tail = 1 + self.below(min(count, 6))
            text = (text[:-tail] + self.pick(["5", "50", "05", "9", "99", "0"]) *
                    tail)[:count]
        return int(text)

    def amount(self, bound, places):
        """A decimal whose size is at most `bound`, with at most `places` places."""
        value = Decimal(self.digits(len(str(bound)) + places)).scaleb(
            -self.below(places + 1), exact)
        return exact.remainder(value, Decimal(bound)) if value > bound else value


def text(value):
    """The one form of a decimal in JSON (docs/engine.md)."""
    value = value.normalize(exact)
    if value.is_zero():
        return "0"
    sign, digits, exponent = value.as_tuple()
    first = exponent + len(digits) - 1
    if -6 <= first < 34:
        return format(value, "f")
    digits = "".join(map(str, digits))
    return ("-" * sign + digits[0] + ("." + digits[1:]).rstrip(".") +
            f"e{first:+d}")


def rounded(value, places, rounding=decimal.ROUND_HALF_UP):
    return value.quantize(Decimal(1).scaleb(-places), rounding, exact)


def significant(value, digits):
    return decimal.Context(prec=digits, rounding=decimal.ROUND_HALF_EVEN,
                           Emin=-9999, Emax=9999).plus(value)


def currency_converter(random):
    amount = random.amount(10**12, random.pick([0, 2, 4, 12, 20]))
    if random.below(3) == 0:
        amount = -amount
    if random.below(16) == 0:  # down to the least that a decimal has
        shift = random.below(100)
        if amount.adjusted() - shift >= -99:
            amount = amount.scaleb(-shift, exact)
    rate = random.pick([Decimal(1), Decimal("0.5"), Decimal("0.25"),
                        random.amount(10**4, 6), random.amount(2, 9),
                        random.amount(10**9, 20)])
    if rate < Decimal("1e-9"):
        rate = Decimal("1e-9")
    source, target = random.pick(list(DIGITS)), random.pick(list(DIGITS))
    rounding = random.pick(list(ROUNDINGS))
    yield {"amount": amount, "from": source, "to": target, "rate": rate,
           "rounding": rounding}
    product = exact.multiply(amount, rate)
    result = rounded(product, DIGITS[target], ROUNDINGS[rounding])
    shown = format(result, "f")
    if result.is_zero():
        shown = shown.lstrip("-")
    yield ({"amount": result, "currency": target,
             "unrounded": rounded(significant(product, 34), 99,
                                  decimal.ROUND_HALF_EVEN),
             "minor_digits": DIGITS[target],
             "inverse_rate": significant(exact.divide(Decimal(1), rate), 34),
             "expression": f"{text(amount)} {source} × {text(rate)} = "
                           f"{shown} {target}"})


def tip_splitter(random):
    code = random.pick(list(DIGITS))
    places = DIGITS[code]
    unit = Decimal(1).scaleb(-places)
    bill = max(random.amount(10**9, places), unit)
    percent = random.pick([Decimal(15), Decimal(10), Decimal("12.5"),
                           random.amount(1000, 3), random.amount(20, 15)])
    people = 1 + random.below(random.pick([1, 5, 50, 10000]))
    up_to = random.pick([Decimal(0), Decimal(0), Decimal(1), Decimal("0.5"),
                         random.amount(1000, places), random.amount(1000, 3),
                         random.amount(10**6, 5)])
    yield {"amount": bill, "currency": code, "tip_percent": percent,
           "people": people, "round_up_to": up_to}
    tip = rounded(exact.divide(exact.multiply(bill, percent), Decimal(100)), places)
    if rounded(up_to, places) != up_to:
        yield {"refused": "AMOUNT_TOO_PRECISE"}
        return
    step = max(up_to, unit)
    total = exact.add(bill, tip)
    total = (total / step).to_integral_value(decimal.ROUND_CEILING, exact) * step \
        if total % step else total
    units = int(total.scaleb(places, exact))
    each, extra = divmod(units, people)
    shares = [{"people": count, "amount": Decimal(share).scaleb(-places),
               "currency": code}
              for count, share in ((extra, each + 1), (people - extra, each))
              if count > 0]
    yield ({"tip": total - bill, "total": total, "currency": code,
             "tip_percent": rounded(
                 exact.divide(exact.multiply(total - bill, Decimal(100)), bill), 2),
             "shares": shares})


def settled(value, random):
    return significant(value, 300 if random.at_border else 100)


def loan_at_border(random, places):
    """Principal, rate, months."""
    unit = Decimal(1).scaleb(-places)
    return (random.pick([unit, 3 * unit, 599 * unit, Decimal(1), Decimal(10**10),
                         10**10 - unit]),
            random.pick(TINY + [Decimal(100), Decimal("99.99999999999999999999"),
                                random.amount(100, 20)]),
            random.pick([1, 2, 3, 12, 359, 599, 600]))


def loan_payment(random):
    exact.prec = 420 if random.at_border else 150
    code = random.pick(list(DIGITS))
    places = DIGITS[code]
    principal = max(random.amount(10**10, places), Decimal(1).scaleb(-places))
    percent = random.pick([Decimal(0), Decimal(6), Decimal("4.5"), Decimal(100),
                           random.amount(100, 3), random.amount(20, 2),
                           random.amount(1, 30)])
    months = 1 + random.below(random.pick([3, 12, 24, 60]))
    if random.below(50) == 0:
        months = 1 + random.below(600)
    if random.at_border:
        principal, percent, months = loan_at_border(random, places)
    yield {"principal": principal, "currency": code,
           "annual_rate_percent": percent, "term_months": months,
           "schedule": "none"}
    rate = exact.divide(percent, Decimal(1200))
    if percent.is_zero():
        level = exact.divide(principal, Decimal(months))
    else:
        grown = exact.power(exact.add(1, rate), months)
        level = exact.divide(
            exact.multiply(exact.multiply(principal, rate), grown),
            exact.subtract(grown, Decimal(1)))
    level = rounded(settled(level, random), places)
    balance, paid_all, interest_all = principal, Decimal(0), Decimal(0)
    for month in range(months):
        interest = rounded(exact.divide(exact.multiply(balance, percent),
                                        Decimal(1200)), places)
        owed = exact.add(balance, interest)
        paid = owed if month + 1 == months else min(level, owed)
        balance = exact.subtract(owed, paid)
        paid_all = exact.add(paid_all, paid)
        interest_all = exact.add(interest_all, interest)
        if balance.is_zero():
            break
    yield ({"payment": level, "last_payment": paid, "total_paid": paid_all,
             "total_interest": interest_all, "currency": code, "schedule": []})


def savings_at_border(random, places):
    """Principal, rate, contribution, months."""
    half = Decimal(5).scaleb(-places - 1)
    return (random.pick([Decimal(0), half, 3 * half, Decimal("1e-99"),
                         Decimal(10**12), Decimal("999999999999.99999999999999")]),
            random.pick(TINY + [-rate for rate in TINY if rate > LEAST] +
                        [Decimal(-50), Decimal("-49.99999999999999999999")]),
            random.pick([Decimal(0), half, Decimal(10**9)]),
            random.pick([1, 2, 11, 12, 13, 24, 120]))


def compound_interest(random):
    exact.prec = 420 if random.at_border else 150
    code = random.pick(list(DIGITS))
    places = DIGITS[code]
    principal = random.amount(10**12, random.pick([2, 4, 12]))
    percent = random.pick([Decimal(0), Decimal(5), Decimal("21"), Decimal(100),
                           random.amount(20, 3), random.amount(20, 3),
                           -random.amount(50, 2), random.amount(1, 25)])
    monthly = random.pick([Decimal(0), random.amount(10**4, 2),
                           random.amount(10**9, 4)])
    compounding = random.pick(list(TIMES))
    months = 1 + random.below(random.pick([12, 24, 60]))
    if random.below(50) == 0:
        months = 1 + random.below(600)
    if random.at_border:
        principal, percent, monthly, months = savings_at_border(random, places)
    yield {"principal": principal, "currency": code,
           "annual_rate_percent": percent, "months": months,
           "compounding": compounding, "monthly_contribution": monthly}
    rate = exact.divide(percent, Decimal(100))
    times = TIMES[compounding]

    def growth(months):
        if times == 0:
            return exact.exp(exact.divide(exact.multiply(rate, months), 12))
        step = exact.add(1, exact.divide(rate, times))
        if times * months % 12 == 0:
            return exact.power(step, times * months // 12)
        return exact.exp(exact.divide(
            exact.multiply(exact.ln(step), times * months), 12))

    month = growth(1)

    def after(months):
        grown = growth(months)
        factor = Decimal(months) if rate.is_zero() else exact.divide(
            exact.subtract(grown, 1), exact.subtract(month, 1))
        balance = rounded(settled(exact.add(
            exact.multiply(principal, grown), exact.multiply(monthly, factor)),
            random), places)
        paid = rounded(exact.add(principal, exact.multiply(monthly, months)),
                       places)
        return {"month": months, "balance": balance, "contributed": paid,
                "interest": exact.subtract(balance, paid), "currency": code}

    years = [after(min(end, months)) for end in range(12, months + 12, 12)]
    last = years[-1]
    yield ({"final_balance": last["balance"], "contributed": last["contributed"],
             "interest": last["interest"], "currency": code,
             "effective_annual_rate_percent": rounded(settled(exact.multiply(
                 exact.subtract(growth(12), 1), 100), random), 6),
             "years": years})


# Each yields an input, and then what the answer must be.
ENGINES = {"currency-converter": currency_converter,
           "tip-splitter": tip_splitter, "loan-payment": loan_payment,
           "compound-interest": compound_interest}


def write(value):
    """JSON in which each decimal has its form; strings here need no escapes."""
    if isinstance(value, dict):
        return "{" + ",".join(f'"{k}":{write(v)}' for k, v in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ",".join(map(write, value)) + "]"
    if isinstance(value, Number):
        return value
    if isinstance(value, str):
        return f'"{value}"'
    return text(value) if isinstance(value, Decimal) else str(value)


def given(engine, number):
    """JSON text of an input."""
    return write(next(ENGINES[engine](Random(engine, number))))


def case(engine, number):
    """JSON text of an input and of its answer."""
    question, answer = ENGINES[engine](Random(engine, number))
    return write(question), write(answer)
