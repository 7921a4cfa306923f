// Parsing of the native surface's paths: the action of each, and the methods that are not implemented.
import { type GatewayError, unimplemented } from '../../src/domain/errors.ts'

/** spec.md, Limits: request body of the native generation endpoints. */
export const NATIVE_BODY_LIMIT_BYTES = 30 * 1024 * 1024

/** The action that a path requests. */
type Action =
  | { kind: 'generate'; model_id: string; streams: boolean }
  | { kind: 'extra'; model_id: string; method: ExtraMethod }
  | { kind: 'unimplemented' | 'unknown' }

/** The generation methods, and whether they stream. */
const GENERATE: ReadonlyMap<string, boolean> = new Map([
  ['generateContent', false],
  ['streamGenerateContent', true],
])

/** Methods that are available only if the operator enables `extra_methods`. */
const EXTRA_METHODS = ['countTokens', 'embedContent', 'batchEmbedContents'] as const
export type ExtraMethod = (typeof EXTRA_METHODS)[number]

/** spec.md, "Native endpoints not implemented": the other actions of a model. */
const UNIMPLEMENTED_ACTIONS = new Set(['predict', 'batchGenerateContent'])

/**
 * spec.md, Native endpoints not implemented: model lists, the files API and cached contents, with all paths below them; and similar
 * resources.
 */
const UNIMPLEMENTED_PATHS =
  /^\/(?:upload\/)?v1(?:beta)?\/(?:models|files|cachedContents|batches|tunedModels|tuningJobs|fileSearchStores|interactions|operations|auth_tokens)(?:\/|:|$)/

/**
 * Parses the part after `models/` in the path of a POST, such as `sim-flash:generateContent`.
 * @param target the decoded part; model ids may contain slashes
 */
export function readAction(target: string): Action {
  const colon = target.lastIndexOf(':')
  const action = target.slice(colon + 1)
  if (colon < 1) return { kind: 'unknown' }
  const streams = GENERATE.get(action)
  if (streams !== undefined) return { kind: 'generate', model_id: target.slice(0, colon), streams }
  if (UNIMPLEMENTED_ACTIONS.has(action)) return { kind: 'unimplemented' }
  const extra = EXTRA_METHODS.find((method) => method === action)
  return extra ? { kind: 'extra', model_id: target.slice(0, colon), method: extra } : { kind: 'unknown' }
}

/** Whether the path belongs to a method of Google's API that this gateway does not implement. */
export function isUnimplemented(pathname: string): boolean {
  return UNIMPLEMENTED_PATHS.test(pathname)
}

export const notImplemented = (): GatewayError =>
  unimplemented(
    'This method of the native API is not implemented here. Use generateContent, streamGenerateContent or the /v1 endpoints.',
  )
