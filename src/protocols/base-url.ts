// Advice on a provider's address, where it ends in what the gateway adds to it.
import { withoutTrailing } from '../utilities/text-ends.ts'

/** @param ending of the path, from its first slash; `added` where a message says what the gateway adds */
export function endsInWhatIsAdded(base_url: URL, ending: RegExp): string | undefined {
  const path = withoutTrailing(base_url.pathname, '/')
  const [found] = ending.exec(path) ?? []
  if (found === undefined) return undefined
  const shorter = base_url.origin + path.slice(0, -found.length)
  return `ends in "${found}", which the gateway adds by itself: write "${shorter}"`
}
