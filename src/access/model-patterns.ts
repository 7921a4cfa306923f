// Model patterns of a key: model ids in which `*` stands for any run of characters.
import { invalidRequest } from '../domain/errors.ts'

const PATTERN = /^[A-Za-z0-9*][A-Za-z0-9*._:/-]{0,127}$/

/**
 * Checks a list of patterns as an operator writes them.
 *
 * @throws GatewayError invalid_request for an empty list, and for the first pattern that is malformed
 */
export function checkModelPatterns(patterns: readonly string[]): void {
  if (patterns.length === 0) {
    throw invalidRequest('models: an empty list allows no model. Leave the list out to allow all.', {
      param: 'models',
    })
  }
  const malformed = patterns.find((pattern) => !PATTERN.test(pattern))
  if (malformed !== undefined) {
    throw invalidRequest(`models: "${malformed}" is neither a model id nor a pattern such as gemini-*.`, {
      param: 'models',
    })
  }
}

/** Whether a model id is allowed. */
export type ModelMatcher = (model_id: string) => boolean

/**
 * Compiles patterns once, for many model ids.
 *
 * @param patterns null: every model is allowed
 */
export function compileModelPatterns(patterns: readonly string[] | null): ModelMatcher {
  if (patterns === null) return () => true
  const ids = new Set(patterns.filter((pattern) => !pattern.includes('*')))
  const globs = patterns.filter((pattern) => pattern.includes('*')).map(globToRegExp)
  return (model_id) => ids.has(model_id) || globs.some((glob) => glob.test(model_id))
}

function globToRegExp(pattern: string): RegExp {
  const literals = pattern.split('*').map((part) => part.replace(/[\\^$.+?()[\]{}|]/g, '\\$&'))
  return new RegExp(`^${literals.join('.*')}$`)
}
