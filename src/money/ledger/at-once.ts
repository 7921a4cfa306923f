// How much is read at once: so much of what is still to be read that the event loop is free again after some ms. Pure.

/**
 * How many periods are read together next, after some that were.
 *
 * @param rows what these had
 * @param wanted_rows as many as are read in one turn; periods that have hardly any are read sixteen times as many at once
 */
export const nextAtOnce = (at_once: number, rows: number, wanted_rows: number): number =>
  Math.max(1, Math.floor((at_once * wanted_rows) / Math.max(rows, wanted_rows / 16)))
