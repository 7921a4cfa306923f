// Text about a model's end: "ends in 7 days".

/** Advice to the operator. */
export const ENDING_HELP =
  'Calls continue as long as the provider answers. Add a route to its replacement, or retire the model.'

/** @param days days until the end; negative after it */
export function endWords({ days }: { days: number }): string {
  if (days < 0) return 'has ended'
  if (days === 0) return 'ends today'
  return days === 1 ? 'ends tomorrow' : `ends in ${String(days)} days`
}
