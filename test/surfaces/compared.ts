// Comparison of two plays of one recording, and the surfaces that a recording is for.
import type { Path, Played, Recording } from './left-out.ts'
import type { Surface } from './servers.ts'

/** Recordings for some surfaces only: an image, and arguments in parts, which only native callers can request. */
const ONLY_FOR: readonly (readonly [RegExp, readonly Surface[]])[] = [
  [/gemini\/(?:image-whole|stream-image)/, ['native', 'chat', 'responses']],
  [/vertex\/stream-(?:no-args-)?tool-call/, ['native']],
]
export const isFor = ({ name }: Recording, surface: Surface): boolean =>
  ONLY_FOR.every(([pattern, surfaces]) => !pattern.test(name) || surfaces.includes(surface))

export const lastKey = (path: Path): string => path.split('.').at(-1) ?? ''
const IDS = new Set(['id', 'call_id'])
const ENDS = new Set(['finish_reason', 'stop_reason', 'finishReason', 'status'])

/** The parts of an answer that both plays must share: all but the field's own value. */
export function common({ answer }: Played, path: Path): unknown {
  const key = lastKey(path)
  return answer?.candidates.map(({ calls, stop, ...candidate }) => ({
    ...candidate,
    stop: ENDS.has(key) ? '' : stop,
    calls: calls.map((call) => (IDS.has(key) ? { ...call, id: '' } : call)),
  }))
}

/** Names of calls that came in an earlier part: Vertex AI, for native callers. */
export const isPartial = ({ name }: Recording, path: Path): boolean =>
  name.startsWith('servers/vertex/') && path.endsWith('functionCall.name')
