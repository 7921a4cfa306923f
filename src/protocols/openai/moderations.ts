// OpenAI's moderations: the request, its target, and the reported units.
// https://platform.openai.com/docs/api-reference/moderations/create
import type { FieldHandling } from '../../domain/catalogue.ts'
import { estimateTokens, INPUT_IMAGE_TOKENS } from '../../domain/token-estimate.ts'
import { each, fields } from '../input-bound.ts'
import { sumTokens } from '../token-sums.ts'
import type { UnitProtocol } from '../unit-calls.ts'
import {
  isObject,
  type Json,
  type JsonObject,
  objectIn,
  refusal,
  tokenCountIn,
  wantString,
} from '../wire/json.ts'
import { namesFrom } from '../wire/json-names.ts'
import { part } from './bound.ts'
import { extras, rejectBeyondUnits } from './extras.ts'

const KNOWN: ReadonlySet<string> = new Set(['model', 'input'])
const PART_MUST = 'must be a text, or an object of type "text" or "image_url".'

export const moderationNames = namesFrom(
  { model: 'value', input: 'value' },
  { billed: extras.decisive_fields },
)

/** The estimated tokens of a moderation's input. @throws GatewayError invalid_request that names the field */
export function readModerationTokens(body: JsonObject, unknown_fields: FieldHandling): number {
  const { input } = body
  const items = Array.isArray(input) ? input : [input]
  if (items.length === 0 || input === undefined || input === null)
    throw refusal('input', 'must be a text, or a list of texts and images.')
  rejectBeyondUnits(body, KNOWN, unknown_fields)
  return sumTokens(items, (item, index) => tokensOf(item, Array.isArray(input) ? `input[${index}]` : 'input'))
}

/** The most tokens of the whole request. */
export const boundModeration = fields({ input: each(part) })

function tokensOf(item: Json | undefined, at: string): number {
  if (typeof item === 'string') return estimateTokens(item)
  if (!isObject(item)) throw refusal(at, PART_MUST)
  if (item.type === 'image_url') return INPUT_IMAGE_TOKENS
  if (item.type !== 'text') throw refusal(at, PART_MUST)
  return estimateTokens(wantString(item.text, `${at}.text`))
}

export const openaiModerations: UnitProtocol = {
  target: { path: '/moderations', headers: {} },
  // OpenAI's moderations are free and report nothing; servers that sell them do.
  readUnits({ usage }) {
    const { prompt_tokens, input_tokens, total_tokens } = objectIn(usage)
    const tokens = tokenCountIn(prompt_tokens ?? input_tokens ?? total_tokens)
    return tokens === undefined ? undefined : { input_tokens: tokens }
  },
}
