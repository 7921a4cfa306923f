// Extras of responses, billed beyond tokens: their requests and counts.
// https://platform.openai.com/docs/api-reference/responses/create
import { tierNamed } from '../../../domain/service-tiers.ts'
import { AUDIO_OUTPUT } from '../../audio-output.ts'
import type { ExtrasCount, FieldRule, ServiceTierProtocol } from '../../extras.ts'
import {
  billedRule,
  extrasFrom,
  isEmptyObject,
  storedStateRefusal,
  storedStateRule,
  toolsIn,
  unknownTool,
} from '../../extras.ts'
import { namesOf } from '../../forms.ts'
import { countIn, type JsonObject, lookUp, objectIn, objectsIn } from '../../wire/json.ts'
import { ROUTER_BILL, SPOKEN_BILL, UNITS } from '../extras.ts'
import { carries } from './carries.ts'
import { ResponsesRequest } from './decode-request.ts'
import { ADDED_TOOLS, RECALLED } from './recalled.ts'
import { HOSTED_TOOLS, isCallerTool } from './tools.ts'
import { responseIn } from './usage.ts'

const judgeTools: FieldRule = (value, list, found) => {
  for (const [index, tool] of toolsIn(value, list).entries()) {
    const { type, tools = null } = tool
    if (type === 'namespace' && tools !== null) judgeTools(tools, `${list}[${index}].tools`, found)
    if (isCallerTool(tool)) continue
    const at = `${list}[${index}].type`
    const name = lookUp(HOSTED_TOOLS, type)
    if (!name) throw unknownTool(at, 'function, custom and namespace')
    rejectStored(tool, `${list}[${index}]`)
    found.push({ name, at, is_charged: true })
  }
}

/** Refuses containers and files in the provider's store that a tool refers to. */
function rejectStored({ container, input_image_mask }: JsonObject, at: string): void {
  if (typeof container === 'string') throw storedStateRefusal(`${at}.container`)
  if ((objectIn(container).file_ids ?? null) !== null) throw storedStateRefusal(`${at}.container.file_ids`)
  if ((objectIn(input_image_mask).file_id ?? null) !== null)
    throw storedStateRefusal(`${at}.input_image_mask.file_id`)
}

/** Items can add tools. Contents of messages and outputs of tools can refer to files in a provider's store. */
const judgeInput: FieldRule = (value, at, found) => {
  for (const [index, item] of objectsIn(value).entries()) {
    if (item.type === ADDED_TOOLS) judgeTools(item.tools ?? null, `${at}[${index}].tools`, found)
    for (const field of ['content', 'output'] as const) {
      const parts = Array.isArray(item[field]) ? objectsIn(item[field]) : [objectIn(item[field])]
      for (const [place, { file_id }] of parts.entries())
        if ((file_id ?? null) !== null) throw storedStateRefusal(`${at}[${index}].${field}[${place}].file_id`)
    }
  }
}

const MEMORY = {
  conversation: storedStateRule(),
  container: storedStateRule(),
  prompt: storedStateRule((value) => typeof value === 'string'),
  input: judgeInput,
}

const BILL = {
  ...ROUTER_BILL,
  ...SPOKEN_BILL,
  moderation: billedRule('extra_body', isEmptyObject),
  image: billedRule('image_generation', isEmptyObject),
  access_programs: billedRule('extra_body', isEmptyObject),
  tools: judgeTools,
}

/**
 * Counts the extras of an answer. Searches are counted by items, Perplexity's by its usage (@perplexity-ai/perplexity_ai
 * `ResponsesUsage`), audio by the usage.
 */
class Count implements ExtrasCount {
  #searches: number | undefined
  #audio_tokens: number | undefined

  read(answer: JsonObject): void {
    const response = responseIn(answer)
    const { output_tokens_details, tool_calls_details } = objectIn(response.usage)
    this.#audio_tokens = countIn(objectIn(output_tokens_details).audio_tokens) ?? this.#audio_tokens
    if (!Array.isArray(response.output) || !objectIn(response.usage).output_tokens) return
    const items = objectsIn(response.output).filter(({ type }) => type === 'web_search_call').length
    const invocations = countIn(objectIn(objectIn(tool_calls_details).web_search).invocation)
    this.#searches = Math.max(items, invocations ?? 0)
  }

  units(name: string): number | undefined {
    if (name === AUDIO_OUTPUT) return this.#audio_tokens
    return name === 'web_search' ? this.#searches : undefined
  }
}

const service_tier: ServiceTierProtocol = {
  answer_fields: ['service_tier'],
  served: (answer) => tierNamed(responseIn(answer).service_tier),
  ask: (body, tier) => ({ ...body, service_tier: tier }),
}

export const extras = extrasFrom({
  units: UNITS,
  fields: [...namesOf(ResponsesRequest), ...Object.keys(carries.own_fields), RECALLED],
  memory: MEMORY,
  bill: BILL,
  count: () => new Count(),
  service_tier,
})
