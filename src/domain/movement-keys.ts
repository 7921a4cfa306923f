// The keys by which people move money once: printable ASCII, and none of the gateway's own.

/**
 * The gateway's own are a name, a colon and a number: `order:12`, `voucher:3`. Whoever took one of those first would stand in the way of a
 * payment, a voucher or a plan.
 */
export const MOVEMENT_KEY_PATTERN = '^(?![a-z-]+:[0-9])[ -~]{1,255}$'
