// SPDX-License-Identifier: Apache-2.0
//
// What a developer chooses about the page around a view, as the host context that tells
// the view of it.

/** Devices: what the context says of one, and the width and height of its screen. */
export const DEVICES = {
  desktop: { label: "Desktop", platform: "desktop", touch: false, hover: true },
  tablet: { label: "Tablet, 768 px", platform: "mobile", touch: true, hover: false,
    width: 768, height: 1024 },
  phone: { label: "Phone, 360 px", platform: "mobile", touch: true, hover: false,
    width: 360, height: 740, insets: { top: 24, right: 0, bottom: 16, left: 0 } },
};

export const MODES = ["inline", "fullscreen", "pip"];

const INLINE_HEIGHT = 6000; // a view may be that high before it scrolls
const PIP = { width: 320, height: 240 };

/** Throws what is wrong with a locale or a time zone; returns it in its usual form. */
export const localeOf = (text) => Intl.getCanonicalLocales(text)[0];
export const timeZoneOf = (text) =>
  new Intl.DateTimeFormat("en", { timeZone: text }).resolvedOptions().timeZone;

/** The size of the frame: {width, height}; undefined: as wide as its place, as high as it says. */
export function sizeOf({ device, displayMode }) {
  const { width, height } = DEVICES[device];
  if (displayMode === "pip") return PIP;
  return { width, height: displayMode === "fullscreen" ? height : undefined };
}

function dimensionsOf(settings, place) {
  const { width = place.width, height } = sizeOf(settings);
  if (settings.displayMode === "inline") return { width, maxHeight: INLINE_HEIGHT };
  return { width, height: height ?? place.height };
}

/**
 * The host context for what was chosen: {theme, locale, timeZone, device, displayMode}.
 * `base` has what the page says beside it; `place` is the width and height that it has.
 */
export function contextOf(settings, base, place) {
  const { platform, touch, hover, insets } = DEVICES[settings.device];
  const { theme, displayMode } = settings;
  return { ...base, theme, displayMode, platform,
    availableDisplayModes: MODES,
    locale: localeOf(settings.locale),
    timeZone: timeZoneOf(settings.timeZone),
    deviceCapabilities: { touch, hover },
    containerDimensions: dimensionsOf(settings, place),
    safeAreaInsets: insets ?? { top: 0, right: 0, bottom: 0, left: 0 } };
}
