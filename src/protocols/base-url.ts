// Advice on a provider's address that already ends with a path which the gateway appends.
import { withoutTrailing } from '../utilities/text-ends.ts'

/** @param ending matches the end of the path, from its first slash */
export function redundantPathAdvice(base_url: URL, ending: RegExp): string | undefined {
  const path = withoutTrailing(base_url.pathname, '/')
  const [found] = ending.exec(path) ?? []
  if (found === undefined) return undefined
  const shorter = base_url.origin + path.slice(0, -found.length)
  return `ends in "${found}", which the gateway adds by itself: write "${shorter}"`
}
