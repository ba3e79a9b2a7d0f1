// SPDX-License-Identifier: Apache-2.0
//
// Values as the person's language writes them.

let locale, timeZone;

/** Takes language and time zone from a host's context; true if they are others now. */
export function setLocale(context) {
  const before = `${locale} ${timeZone}`;
  try {
    new Intl.DateTimeFormat(context.locale, { timeZone: context.timeZone });
    locale = context.locale ?? locale;
    timeZone = context.timeZone ?? timeZone;
  } catch (error) {
    console.warn(error); // a language or a zone that the browser does not know
  }
  return `${locale} ${timeZone}` !== before;
}

const number = (value, options) => new Intl.NumberFormat(locale, options).format(value);

const date = (text, format) => {
  const at = Date.parse(text);
  if (!/^\d{4}-\d\d-\d\d/.test(text) || Number.isNaN(at)) return text;
  return new Intl.DateTimeFormat(locale, format === "datetime" && text.includes("T")
    ? { dateStyle: "medium", timeStyle: "short", timeZone }
    : { dateStyle: "medium", timeZone: "UTC" }).format(at);
};

/** A value by its format; `short`: as on an axis. */
export function formatted(value, { format, currency } = {}, short = false) {
  if (value === true || value === false) return value ? "Yes" : "No";
  if (typeof value === "string")
    return format === "date" || format === "datetime" ? date(value, format) : value;
  if (typeof value !== "number") return "";
  const compact = short ? { notation: "compact" } : {};
  if (format === "percent")
    return number(value, { style: "percent", maximumFractionDigits: 1, ...compact });
  if (format === "currency" && /^[A-Z]{3}$/.test(currency))
    return number(value, { style: "currency", currency, ...compact });
  return number(value, { maximumFractionDigits: 6, ...compact });
}

/** A moment, if it is one in ISO 8601; else the words as they are. */
export const moment = (text) => date(text, "datetime");
