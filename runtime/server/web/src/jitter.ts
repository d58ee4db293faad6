// How long to wait before the next try. Pure.

export const MIN_DELAY = 250;
export const MAX_DELAY = 15_000;

/**
 * Full jitter: anything between 0.25 s and a ceiling that doubles with each failed try, from 0.5 s up to 15 s. All tabs of all users lose their
 * connection at the same moment when the server restarts; they must not come back at the same moment.
 * @param attempt 0 for the first try after a loss
 * @param random a number in [0, 1)
 */
export function reconnectDelay(attempt: number, random: number): number {
  const ceiling = Math.min(MAX_DELAY, 2 * MIN_DELAY * 2 ** Math.min(attempt, 10));
  return Math.round(MIN_DELAY + random * (ceiling - MIN_DELAY));
}

/** The pause before the page boots by itself after the pod was lost: long enough to be read, short enough not to be a wait. In ms. */
export function bootDelay(random: number): number {
  return Math.round(750 + random * 1_500);
}

/** The pause after "too many terminals": somebody has to close one first. In ms. */
export function crowdedDelay(random: number): number {
  return Math.round(10_000 + random * 20_000);
}
