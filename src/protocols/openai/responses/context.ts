// How much a responses request brings at least, with what was recalled for it.
import { leastTokensIn } from '../../least-tokens.ts'
import type { JsonObject } from '../../wire/json.ts'
import { allItems } from './recalled.ts'

const leastIn = leastTokensIn(['instructions', 'input'], ['context_management'])

/** A lower estimate of the prompt's tokens; 0 if the provider may leave out some of it. */
export const leastTokens = (body: JsonObject): number =>
  body.truncation === 'auto' ? 0 : leastIn({ ...body, input: allItems(body).map(({ item }) => item) })
