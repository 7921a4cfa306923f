// The finding and advice about a database without tables, on either engine.
export const NO_TABLES = [
  'it has no tables',
  'The first start creates them. If it had tables before, stop the gateway and restore a backup.',
] as const
