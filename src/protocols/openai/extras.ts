// Extras of chat completions, billed beyond tokens at OpenAI and similar servers: their requests and counts.
// https://platform.openai.com/docs/api-reference/chat/create, https://openrouter.ai/docs/api-reference/parameters

import type { FieldHandling } from '../../domain/catalogue.ts'
import type { RequestedExtra } from '../../domain/extras.ts'
import { tierNamed } from '../../domain/service-tiers.ts'
import { AUDIO_OUTPUT, audioTokens, judgeModalities } from '../audio-output.ts'
import {
  billedRule,
  type ExtrasCount,
  extrasFrom,
  type FieldRule,
  isEmptyList,
  isEmptyObject,
  isFalse,
  isOneOf,
  judgeServiceTier,
  type ServiceTierProtocol,
  storedStateRefusal,
  storedStateRule,
  toolsIn,
  unknownField,
  unknownTool,
} from '../extras.ts'
import { namesOf } from '../forms.ts'
import {
  countIn,
  type Json,
  type JsonObject,
  lookUp,
  objectIn,
  objectsIn,
  refusal,
  stringIn,
} from '../wire/json.ts'
import { carries } from './carries.ts'
import { BiasedRequest, ChatRequest } from './decode-request.ts'
import { AUDIO_TOKENS_PER_SECOND } from './output-fields.ts'

/** Shared by both of OpenAI's protocols, since a model has one price. */
export const UNITS = {
  web_search: 'searches',
  audio_output: 'audio tokens',
  citation_tokens: 'citation tokens',
  reasoning_tokens: 'reasoning tokens beside the completion',
  input_audio_seconds: 'seconds of audio in the prompt',
  file_search: null,
  code_interpreter: null,
  image_generation: null,
  computer_use: null,
  mcp: null,
  models: null,
  provider: null,
  plugins: null,
  route: null,
  transforms: null,
  preset: null,
  fallbacks: null,
  extra_body: null,
} as const

type Name = keyof typeof UNITS

/** Tools that the provider runs, by `type`. The caller runs functions and custom tools. */
export const SERVER_TOOLS: Readonly<Record<string, Name>> = {
  web_search: 'web_search',
  web_search_preview: 'web_search',
  web_search_preview_2025_03_11: 'web_search',
  web_search_2025_08_26: 'web_search',
  'openrouter:web_search': 'web_search',
  live_search: 'web_search',
  file_search: 'file_search',
  code_interpreter: 'code_interpreter',
  image_generation: 'image_generation',
  computer_use: 'computer_use',
  computer_use_preview: 'computer_use',
  mcp: 'mcp',
}

const judgeTools: FieldRule = (value, list, found) => {
  for (const [index, { type, function: declared, container = null }] of toolsIn(value, list).entries()) {
    if (type === 'function' || type === 'custom' || ((type ?? null) === null && declared)) continue
    const at = `${list}[${index}].type`
    const name = lookUp(SERVER_TOOLS, type)
    if (!name) throw unknownTool(at, 'function and custom')
    if (typeof container === 'string' || namesFiles(container))
      throw storedStateRefusal(`${list}[${index}].container`)
    found.push({ name, at, is_charged: true })
  }
}

/** Whether a container created for the call includes stored files. */
const namesFiles = (container: Json): boolean => {
  const { file_ids = null } = objectIn(container)
  return file_ids !== null && !isEmptyList(file_ids)
}

/** A choice among some of the tools repeats their types, which are not charged twice. */
const judgeChoice: FieldRule = (value, at, found) => {
  const { tools = null } = objectIn(objectIn(value).allowed_tools)
  if (tools === null) return
  const repeated: RequestedExtra[] = []
  judgeTools(tools, `${at}.allowed_tools.tools`, repeated)
  for (const extra of repeated) found.push({ ...extra, is_charged: false })
}

const judgeMessages: FieldRule = (value, at) => {
  if (!Array.isArray(value)) return
  for (const [index, message] of value.entries()) {
    const { content, audio } = objectIn(message)
    if (Array.isArray(content))
      for (const [place, part] of content.entries()) {
        const holder = fileHolderOf(part)
        if (holder !== undefined)
          throw storedStateRefusal(`${at}[${index}].content[${place}]${holder}.file_id`)
      }
    if (audio && objectIn(audio).id !== undefined) throw storedStateRefusal(`${at}[${index}].audio.id`)
  }
}

/** The path within a part to a reference to a stored file; undefined if it has none. */
function fileHolderOf(value: Json): string | undefined {
  const part = objectIn(value)
  if (part.type === 'text') return undefined
  if ((part.file_id ?? null) !== null) return ''
  const holder = FILE_HOLDERS.find((name) => (objectIn(part[name]).file_id ?? null) !== null)
  return holder && `.${holder}`
}

const FILE_HOLDERS = ['file', 'input_file', 'image_file'] as const

const MEMORY = {
  previous_response_id: storedStateRule(),
  conversation: storedStateRule(),
  thread_id: storedStateRule(),
  container: storedStateRule(),
  prompt: storedStateRule((value) => typeof value === 'string'),
  messages: judgeMessages,
}
/** Rules of both of OpenAI's protocols, at OpenAI and at routers. */
export const ROUTER_BILL = {
  service_tier: judgeServiceTier,
  models: billedRule('models', isEmptyList),
  provider: billedRule('provider', isEmptyObject),
  plugins: billedRule('plugins', isEmptyList),
  route: billedRule('route'),
  transforms: billedRule('transforms', isEmptyList),
  preset: billedRule('preset'),
  fallbacks: billedRule('fallbacks', isEmptyList),
  // Some servers read its fields as if they were at the top.
  extra_body: billedRule('extra_body'),
}

/** Rules of both of OpenAI's protocols. Some servers use the names of Google's or of the realtime API. */
export const SPOKEN_BILL = {
  modalities: judgeModalities,
  response_modalities: judgeModalities,
  output_modalities: judgeModalities,
  audio: billedRule(AUDIO_OUTPUT),
}

const BILL = {
  ...ROUTER_BILL,
  ...SPOKEN_BILL,
  web_search_options: billedRule('web_search'),
  // xAI and DashScope.
  search_parameters: billedRule('web_search', (value) => isOneOf('off')(objectIn(value).mode ?? null)),
  enable_search: billedRule('web_search', isFalse),
  tools: judgeTools,
  tool_choice: judgeChoice,
}

/**
 * Counts the extras of an answer. Servers that charge per search report the number (searchesIn). OpenAI reports none: its models search
 * once in every call with the options. Audio tokens come from the final usage; without one, such as after a disconnect, from the received audio.
 */
class Count implements ExtrasCount {
  #searches: number | undefined
  /** Counts that the totals do not include. */
  #separate: SeparateCounts = {}
  #audio_tokens: number | undefined
  #audio_chars = 0

  read({ usage, choices }: JsonObject): void {
    const counts = objectIn(usage)
    this.#audio_tokens =
      countIn(objectIn(counts.completion_tokens_details).audio_tokens) ?? this.#audio_tokens
    for (const { delta, message } of objectsIn(choices)) {
      const { audio } = objectIn(delta ?? message)
      this.#audio_chars += (stringIn(objectIn(audio).data) ?? '').length
    }
    this.#separate = { ...this.#separate, ...separateCounts(counts) }
    const searches = searchesIn(counts)
    if (searches !== undefined) this.#searches = Math.max(searches, this.#searches ?? 0)
  }

  units(name: string): number | undefined {
    if (name === AUDIO_OUTPUT)
      return this.#audio_tokens ?? audioTokens(this.#audio_chars, AUDIO_TOKENS_PER_SECOND)
    if (name in SEPARATE) return this.#separate[name as keyof SeparateCounts]
    return name === 'web_search' ? this.#searches : undefined
  }
}

/** OpenRouter, Perplexity, xAI (docs.x.ai, Live Search: by source), DashScope (help.aliyun.com, Web search: `plugins.search.count`). */
const searchesIn = (counts: JsonObject): number | undefined =>
  countIn(objectIn(counts.server_tool_use).web_search_requests) ??
  countIn(counts.num_search_queries) ??
  countIn(counts.num_sources_used) ??
  countIn(objectIn(objectIn(counts.plugins).search).count)

type SeparateCounts = { readonly [Name in keyof typeof SEPARATE]?: number }

/**
 * Counts that the totals of a usage do not include, which providers bill at rates of their own.
 *
 * - Perplexity's deep research: https://docs.perplexity.ai/getting-started/pricing. For a prompt of 108 and a completion of 3,256 tokens,
 *   together 3,364, it read 7,299 tokens of citations and thought 73,248: https://github.com/bgeneto/open-webui-cost-tracker/issues/6. Its
 *   other models include reasoning in the completion, and do not count citations.
 * - Mistral's audio, by the second: @mistralai/mistralai 2.7 `UsageInfo`.
 */
const SEPARATE = {
  citation_tokens: 'citation_tokens',
  reasoning_tokens: 'reasoning_tokens',
  input_audio_seconds: 'prompt_audio_seconds',
} as const

function separateCounts(counts: JsonObject): SeparateCounts {
  const citation_tokens = countIn(counts[SEPARATE.citation_tokens])
  const input_audio_seconds = countIn(counts[SEPARATE.input_audio_seconds])
  const reasoning_tokens =
    citation_tokens === undefined ? undefined : countIn(counts[SEPARATE.reasoning_tokens])
  return {
    ...(citation_tokens === undefined ? {} : { citation_tokens }),
    ...(reasoning_tokens === undefined ? {} : { reasoning_tokens }),
    ...(input_audio_seconds === undefined ? {} : { input_audio_seconds }),
  }
}

/** Mistral reports it in the usage (its client's type `UsageInfo`), all others at the top. */
const service_tier: ServiceTierProtocol = {
  answer_fields: ['service_tier'],
  served: ({ service_tier, usage }) => tierNamed(service_tier) ?? tierNamed(objectIn(usage).service_tier),
  ask: (body, tier) => ({ ...body, service_tier: tier }),
}

export const extras = extrasFrom({
  units: UNITS,
  fields: [...namesOf(ChatRequest), ...namesOf(BiasedRequest), ...Object.keys(carries.own_fields)],
  memory: MEMORY,
  bill: BILL,
  count: () => new Count(),
  service_tier,
})

/**
 * Checks a call that is priced only by its units.
 *
 * @param known the fields that the call has
 * @throws GatewayError invalid_request for a field that is billed beyond the units, and for an unknown field if the model refuses those
 */
export function rejectBeyondUnits(
  body: JsonObject,
  known: ReadonlySet<string>,
  unknown_fields: FieldHandling,
): void {
  const [extra] = extras.find(body, {})
  if (extra) throw refusal(extra.at, 'is billed beyond the units of this call. Leave it out.')
  if (unknown_fields === 'pass') return
  for (const name of Object.keys(body)) if (!known.has(name)) throw unknownField(name)
}
