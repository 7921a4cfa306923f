// Model patterns of a key: model IDs in which `*` matches any characters.
import { invalidRequest } from '../domain/errors.ts'
import { compileGlobs, type TextMatcher } from '../utilities/glob.ts'

const PATTERN = /^[A-Za-z0-9*][A-Za-z0-9*._:/-]{0,127}$/
/** Bounds the work of lists, which compare each model with all patterns. */
const MAX_PATTERNS = 200

/**
 * Validates a list of patterns.
 *
 * @throws GatewayError invalid_request for an empty or too long list, and for the first malformed pattern
 */
export function checkModelPatterns(patterns: readonly string[]): void {
  if (patterns.length === 0) {
    throw invalidRequest('models: an empty list allows no model. Leave the list out to allow all.', {
      param: 'models',
    })
  }
  if (patterns.length > MAX_PATTERNS) {
    throw invalidRequest(
      `models: ${patterns.length} patterns are too many. List at most ${MAX_PATTERNS}; a pattern such as gemini-* covers many models.`,
      { param: 'models' },
    )
  }
  const malformed = patterns.find((pattern) => !PATTERN.test(pattern))
  if (malformed !== undefined) {
    throw invalidRequest(
      `models: "${malformed}" is neither a model id nor a pattern such as gemini-*, of at most 128 letters, digits, ".", "_", ":", "/", "-" and "*".`,
      { param: 'models' },
    )
  }
}

/**
 * Compiles patterns for many model IDs. Accepts patterns of earlier versions that would be refused today.
 *
 * @param patterns null: every model is allowed
 */
export const compileModelPatterns = (patterns: readonly string[] | null): TextMatcher =>
  patterns === null ? () => true : compileGlobs(patterns)
