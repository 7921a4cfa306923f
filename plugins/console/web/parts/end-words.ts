// The end of a model in words: "ends in 7 days".

export interface End {
  date: string
  days: number
}

/** So long before, it is a warning. */
const WARNED_DAYS = 30

export const isNear = ({ days }: End): boolean => days <= WARNED_DAYS

export function endWords({ days }: End): string {
  if (days < 0) return 'has ended'
  if (days === 0) return 'ends today'
  return days === 1 ? 'ends tomorrow' : `ends in ${String(days)} days`
}
