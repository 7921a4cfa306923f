// What two plays of one recording must have in common, and which recordings are for which surfaces.
import type { Path, Played, Recording } from './left-out.ts'
import type { Surface } from './servers.ts'

/** Recordings that not every surface can be answered with: an image, and arguments in parts that only native callers can ask for. */
const ONLY_FOR: readonly (readonly [RegExp, readonly Surface[]])[] = [
  [/gemini\/(?:image-whole|stream-image)/, ['native', 'chat', 'responses']],
  [/vertex\/stream-(?:no-args-)?tool-call/, ['native']],
]
export const isFor = ({ name }: Recording, surface: Surface): boolean =>
  ONLY_FOR.every(([pattern, surfaces]) => !pattern.test(name) || surfaces.includes(surface))

export const lastKey = (path: Path): string => path.split('.').at(-1) ?? ''
const IDS = new Set(['id', 'call_id'])
const ENDS = new Set(['finish_reason', 'stop_reason', 'finishReason', 'status'])

/** What both answers must have in common: all but what the field itself says. */
export function common({ answer }: Played, path: Path): unknown {
  const key = lastKey(path)
  return answer?.candidates.map(({ calls, stop, ...candidate }) => ({
    ...candidate,
    stop: ENDS.has(key) ? '' : stop,
    calls: calls.map((call) => (IDS.has(key) ? { ...call, id: '' } : call)),
  }))
}

/** Names of calls that are told in an earlier part: Vertex AI, for native callers. */
export const isPartial = ({ name }: Recording, path: Path): boolean =>
  name.startsWith('servers/vertex/') && path.endsWith('functionCall.name')
