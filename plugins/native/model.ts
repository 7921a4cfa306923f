// The paths of the native surface: the action that each names, and those that are not implemented.
import { type GatewayError, unimplemented } from '../../src/domain/errors.ts'

/** spec.md, Limits: request body of the native generation endpoints. */
export const NATIVE_BODY_LIMIT_BYTES = 30 * 1024 * 1024

/** What a path of the native surface asks for. */
type Action =
  | { kind: 'generate'; model_id: string; streams: boolean }
  | { kind: 'extra'; model_id: string; method: ExtraMethod }
  | { kind: 'unimplemented' | 'unknown' }

/** The methods that generate, and whether they stream. */
const GENERATE: ReadonlyMap<string, boolean> = new Map([
  ['generateContent', false],
  ['streamGenerateContent', true],
])

/** Methods of a model that are not implemented by default, and are where the operator wants them (`extra_methods`). */
const EXTRA_METHODS = ['countTokens', 'embedContent', 'batchEmbedContents'] as const
export type ExtraMethod = (typeof EXTRA_METHODS)[number]

/** spec.md, "Native endpoints not implemented": the other actions of a model. */
const UNIMPLEMENTED_ACTIONS = new Set(['predict', 'batchGenerateContent'])

/**
 * spec.md, Native endpoints not implemented: listing models, the files API, and cached contents, with all that is below them;
 * and their siblings.
 */
const UNIMPLEMENTED_PATHS =
  /^\/(?:upload\/)?v1(?:beta)?\/(?:models|files|cachedContents|batches|tunedModels|tuningJobs|fileSearchStores|interactions|operations|auth_tokens)(?:\/|:|$)/

/**
 * Reads what follows `models/` in the path of a POST, such as `sim-flash:generateContent`.
 * @param target decoded; ids of models may hold slashes
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

/** Whether the native API has a method at this path that is not implemented here. */
export function isUnimplemented(pathname: string): boolean {
  return UNIMPLEMENTED_PATHS.test(pathname)
}

export const notImplemented = (): GatewayError =>
  unimplemented(
    'This method of the native API is not implemented here. Use generateContent, streamGenerateContent or the /v1 endpoints.',
  )
