// The end of a model in words: "ends in 7 days".

/** What an operator does about it. */
export const ENDING_HELP =
  'Calls continue as long as the provider answers. Add a route to its replacement, or retire the model.'

/** @param days until then; negative once it is past */
export function endWords({ days }: { days: number }): string {
  if (days < 0) return 'has ended'
  if (days === 0) return 'ends today'
  return days === 1 ? 'ends tomorrow' : `ends in ${String(days)} days`
}
