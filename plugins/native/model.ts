// The paths of the native surface: the action that each names, and those that are not implemented.

/** What a path of the native surface asks for. */
export type Action =
  | { kind: 'generate'; model_id: string; streams: boolean }
  | { kind: 'unimplemented' | 'unknown' }

const GENERATE: Readonly<Record<string, { streams: boolean }>> = {
  generateContent: { streams: false },
  streamGenerateContent: { streams: true },
}

/** spec.md, "Native endpoints not implemented": actions of a model. */
const UNIMPLEMENTED_ACTIONS = new Set([
  'countTokens',
  'embedContent',
  'batchEmbedContents',
  'predict',
  'batchGenerateContent',
])

/**
 * spec.md, Native endpoints not implemented: listing models, the files API, and cached contents, with all that is below them;
 * and their siblings.
 */
const UNIMPLEMENTED_PATHS =
  /^\/(?:upload\/)?v1(?:beta)?\/(?:models|files|cachedContents|batches|tunedModels|tuningJobs|fileSearchStores|interactions|operations|auth_tokens)(?:\/|:|$)/

/**
 * Reads what follows `models/` in the path of a POST, such as `sim-flash:generateContent`.
 *
 * @param target decoded; ids of models may hold slashes
 */
export function readAction(target: string): Action {
  const colon = target.lastIndexOf(':')
  const action = target.slice(colon + 1)
  if (colon < 1) return { kind: 'unknown' }
  if (UNIMPLEMENTED_ACTIONS.has(action)) return { kind: 'unimplemented' }
  const generate = Object.hasOwn(GENERATE, action) ? GENERATE[action] : undefined
  return generate ? { kind: 'generate', model_id: target.slice(0, colon), ...generate } : { kind: 'unknown' }
}

/** Whether the native API has a method at this path that is not implemented here. */
export function isUnimplemented(pathname: string): boolean {
  return UNIMPLEMENTED_PATHS.test(pathname)
}
