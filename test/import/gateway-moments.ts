// The moments in the rows of other gateways.

/** 1 November 2026: the moment of the import. */
export const NOW_MS = Date.UTC(2026, 10, 1)
export const NOW_S = NOW_MS / 1000
export const LONG_AGO_S = Date.UTC(2025, 0, 1) / 1000
