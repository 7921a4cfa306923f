// Extras of messages, billed beyond tokens: the fields, tools and betas that request them, and their counts in answers.
// https://platform.claude.com/docs/en/api/messages, https://platform.claude.com/docs/en/about-claude/pricing
import { invalidRequest } from '../../domain/errors.ts'
import { LONG_CONTEXT, type RequestedExtra } from '../../domain/extras.ts'
import { tierNamed } from '../../domain/service-tiers.ts'
import {
  billedRule,
  extrasFrom,
  type FieldRule,
  isEmptyList,
  isOneOf,
  judgeServiceTier,
  type ServiceTierProtocol,
  storedStateRefusal,
  toolsIn,
  unknownTool,
} from '../extras.ts'
import { namesOf } from '../forms.ts'
import {
  isObject,
  type Json,
  type JsonObject,
  lookUp,
  objectIn,
  objectsIn,
  refusal,
  stringIn,
} from '../wire/json.ts'
import { carries } from './carries.ts'
import { MessagesRequest } from './decode-request.ts'
import { ServerToolCount } from './server-tools.ts'

const UNITS = {
  web_search: 'searches',
  web_fetch: 'fetches',
  code_execution: 'executions',
  advisor: 'consultations',
  mcp_servers: 'tool calls',
  speed: null,
  inference_geo: null,
  fallbacks: null,
  fallback_credit_token: null,
  billing_policy: null,
  compaction: null,
  skills: null,
} as const

type Name = keyof typeof UNITS

/** Tools by type without its date. `none`: the caller runs the tool, or it is free; otherwise the extra under which the provider bills it. */
const TOOLS: Readonly<Record<string, Name | 'none'>> = {
  custom: 'none',
  bash: 'none',
  text_editor: 'none',
  computer: 'none',
  computer_toolset: 'none',
  browser_toolset: 'none',
  memory: 'none',
  tool_search_tool_bm25: 'none',
  tool_search_tool_regex: 'none',
  web_search: 'web_search',
  web_fetch: 'web_fetch',
  code_execution: 'code_execution',
  advisor: 'advisor',
  mcp_toolset: 'mcp_servers',
}
const DATE = /_20\d{6}$/

/** The extra of a tool's type; undefined if it has none. @throws GatewayError invalid_request for an unknown type */
function extraOf(type: Json | undefined, list: string, index: number): Name | undefined {
  if (type === undefined || type === null || type === 'custom') return undefined
  const name = typeof type === 'string' ? lookUp(TOOLS, type.replace(DATE, '')) : undefined
  if (name === undefined)
    throw unknownTool(`${list}[${index}].type`, 'custom and the types of tools that callers run')
  return name === 'none' ? undefined : name
}

const judgeTools: FieldRule = (value, list, found) => {
  for (const [index, tool] of toolsIn(value, list).entries()) {
    const name = extraOf(tool.type, list, index)
    if (name === undefined) continue
    // The gateway can limit the uses only under this spelling.
    if (list !== 'tools') throw refusal(list, 'must be written "tools".')
    const limit = limitOf(tool)
    // A toolset only refers to a server, which is billed by its own entry in mcp_servers.
    const extra = { name, at: `${list}[${index}].type`, is_charged: name !== 'mcp_servers' }
    found.push(limit === undefined ? extra : { ...extra, max_units: limit })
  }
}

const limitOf = ({ max_uses }: JsonObject): number | undefined =>
  Number.isSafeInteger(max_uses) && Number(max_uses) >= 1 ? Number(max_uses) : undefined

const judgeMessages: FieldRule = (value, at) => {
  if (!Array.isArray(value)) return
  for (const [index, message] of value.entries()) {
    const { content } = objectIn(message)
    if (needsLook(content)) judgeBlocks(content, `${at}[${index}].content`)
  }
}

/** Whether any block, at any depth, needs judgeBlocks. Nearly no message does, so that no paths have to be built. */
const needsLook = (blocks: Json | undefined): boolean =>
  Array.isArray(blocks) &&
  blocks.some((block) => {
    if (!isObject(block) || block.type === 'text') return false
    const { source, content, file_id, tool } = block
    if ((file_id ?? null) !== null || isObject(tool)) return true
    return needsLook(content) || (isObject(source) && (isStored(source) || needsLook(source.content)))
  })

/** Checks the blocks of a message, and those nested in tool results and documents. */
function judgeBlocks(blocks: Json | undefined, at: string): void {
  if (!Array.isArray(blocks)) return
  for (const [index, block] of blocks.entries()) {
    if (!isObject(block)) continue
    const path = `${at}[${index}]`
    const { source, content, file_id, tool } = block
    if ((file_id ?? null) !== null) throw storedStateRefusal(`${path}.file_id`)
    if (isObject(source)) {
      if (isStored(source)) throw storedStateRefusal(`${path}.source.file_id`)
      judgeBlocks(source.content, `${path}.source.content`)
    }
    judgeBlocks(content, `${path}.content`)
    if (isObject(tool) && isObject(tool.definition))
      judgeDefinition(tool.definition, `${path}.tool.definition`)
  }
}

const isStored = ({ type, file_id }: JsonObject): boolean => type === 'file' || (file_id ?? null) !== null

/** A tool that a message adds. Its uses cannot be limited there, so it must be one that the caller runs. */
function judgeDefinition(definition: JsonObject, at: string): void {
  const [{ type = null } = {}] = toolsIn([definition], at)
  const name = typeof type === 'string' ? lookUp(TOOLS, type.replace(DATE, '')) : undefined
  if (type !== null && name !== 'none')
    throw refusal(`${at}.type`, 'must be a tool that callers run; name the others in tools.')
}

/** A container with an id is stored at the provider; one with only skills is created for the call. */
const judgeContainer: FieldRule = (value, at, found) => {
  if (!isObject(value) || (value.id ?? null) !== null) throw storedStateRefusal(at)
  found.push({ name: 'skills', at, is_charged: true })
}

/** A compaction reads the prompt again, for which no tokens are held: it requires a model with a price for it. */
const judgeContextEdits: FieldRule = (value, at, found) => {
  for (const [index, { type }] of objectsIn(objectIn(value).edits).entries())
    if (typeof type !== 'string' || type.startsWith('compact'))
      found.push({ name: 'compaction', at: `${at}.edits[${index}]`, is_charged: true })
}

const judgeDiagnostics: FieldRule = (value, at) => {
  if ((objectIn(value).previous_message_id ?? null) !== null)
    throw storedStateRefusal(`${at}.previous_message_id`)
}

/**
 * Betas that change the bill by themselves, by name without the date. Other betas only enable a field or a tool, which has a rule of
 * its own: clients set such betas for all their calls.
 */
const BETAS: Readonly<Record<string, Name>> = {
  'user-profiles-billing': 'billing_policy',
}
const BETA_DATE = /-20\d\d-\d\d-\d\d$/
/** Betas that allow longer prompts: https://platform.claude.com/docs/en/build-with-claude/context-windows. */
const LONG_BETA = /^context-\d+m$/

const betaNamed = (value: string): string => value.trim().toLowerCase().replace(BETA_DATE, '')

function judgeBeta(value: string, at: string, found: RequestedExtra[]): void {
  const beta = betaNamed(value)
  const name = lookUp(BETAS, beta)
  if (name) found.push({ name, at, is_charged: true })
  else if (LONG_BETA.test(beta)) found.push({ name: LONG_CONTEXT, at, is_charged: false })
}

/** The headers without betas that allow longer prompts. */
function withoutLongContext(headers: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const { 'anthropic-beta': betas, ...rest } = headers
  if (betas === undefined) return headers
  const listed = betas.split(',')
  const left = listed.filter((beta) => !LONG_BETA.test(betaNamed(beta)))
  if (left.length === listed.length) return headers
  return left.length === 0 ? rest : { ...rest, 'anthropic-beta': left.join(',') }
}

/** Some hosts of Claude models take betas in the body. */
const judgeBetas: FieldRule = (value, at, found) => {
  for (const beta of Array.isArray(value) ? value : [value])
    for (const name of (stringIn(beta) ?? '').split(',')) judgeBeta(name, at, found)
}

/**
 * Refuses threads: the provider would continue a thread of any account, of unknown length. Tool runners of Anthropic's SDKs send
 * threads by default, and fall back to whole conversations when they read these details.
 * @throws GatewayError invalid_request
 */
export function rejectThread(value: Json | undefined = null): void {
  if (value === null) return
  throw invalidRequest('thread: is not kept apart by account here. Send all messages of the conversation.', {
    param: 'thread',
    details: { error_code: 'thread_unsupported_request', unsupported: ['thread'] },
  })
}

const MEMORY = {
  thread: ((value) => rejectThread(value)) as FieldRule,
  messages: judgeMessages,
  diagnostics: judgeDiagnostics,
  container: ((value, at) => judgeContainer(value, at, [])) as FieldRule,
}
const BILL = {
  container: judgeContainer,
  tools: judgeTools,
  service_tier: judgeServiceTier,
  speed: billedRule('speed', isOneOf('standard')),
  inference_geo: billedRule('inference_geo', isOneOf('global')),
  fallbacks: billedRule('fallbacks', isEmptyList),
  fallback_credit_token: billedRule('fallback_credit_token'),
  billing_policy: billedRule('billing_policy', (value) => {
    const { bill_to = null } = objectIn(value)
    return bill_to === null || bill_to === 'self'
  }),
  mcp_servers: billedRule('mcp_servers', isEmptyList),
  compaction: billedRule('compaction'),
  context_management: judgeContextEdits,
  betas: judgeBetas,
  anthropic_beta: judgeBetas,
}

const TAKES_MAX_USES: ReadonlySet<Name> = new Set(['web_search', 'web_fetch', 'advisor'])

/** Requests cannot name a tier, only decline priority: https://platform.claude.com/docs/en/api/service-tiers. */
const service_tier: ServiceTierProtocol = {
  answer_fields: ['service_tier'],
  served: ({ usage, message }) =>
    tierNamed(objectIn(usage).service_tier) ?? tierNamed(objectIn(objectIn(message).usage).service_tier),
}

export const extras = extrasFrom({
  units: UNITS,
  fields: [...namesOf(MessagesRequest), ...Object.keys(carries.own_fields)],
  memory: MEMORY,
  bill: BILL,
  judgeHeaders(headers, found) {
    const betas = headers['anthropic-beta']
    if (betas !== undefined)
      for (const beta of betas.split(',')) judgeBeta(beta, `anthropic-beta: ${beta.trim()}`, found)
  },
  limitUnits(body, max_units) {
    let changed = false
    const tools = objectsIn(body.tools).map((tool, index) => {
      const name = extraOf(tool.type, 'tools', index)
      const limit = name === undefined || !TAKES_MAX_USES.has(name) ? undefined : max_units(name)
      if (limit === undefined || (limitOf(tool) ?? Number.POSITIVE_INFINITY) <= limit) return tool
      changed = true
      return { ...tool, max_uses: limit }
    })
    return changed ? { ...body, tools } : body
  },
  count: () => new ServerToolCount(),
  withoutLongContext,
  service_tier,
})
