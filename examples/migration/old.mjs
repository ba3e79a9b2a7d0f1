// SPDX-License-Identifier: Apache-2.0
// old.mjs
export function runningPace({ distance_km, minutes, seconds = 0 }) {
  const total = minutes * 60 + seconds;
  if (!(total > 0)) throw new Error("How long did it take?");
  const perKm = Math.round(total / distance_km);
  return {
    pace: Math.floor(perKm / 60) + ":" + String(perKm % 60).padStart(2, "0"),
    speed_kmh: Math.round((distance_km / total) * 36000) / 10,
  };
}
