// Rules that refuse unknown fields of the messages API: in the request, its blocks, tools and cache markers.
import type { Refusal } from '../dialect.ts'
import { isObject, type JsonObject, listOf, objectOf, textOf } from '../json.ts'
import { firstOf, type Rule, type RuleInput } from '../rule.ts'
import { blocksOf, messagesOf, withInner } from './blocks.ts'
import { placeOf } from './structure.ts'

const words = (text: string): ReadonlySet<string> => new Set(text.split(/\s+/))

/** MessageCreateParamsBase of `@anthropic-ai/sdk`, 1.11, and `output_format`, the older name of `output_config.format`. */
const FIELDS = words(
  `max_tokens messages model cache_control container diagnostics inference_geo metadata output_config service_tier speed
  stop_sequences stream system temperature thinking tool_choice tools top_k top_p user_profile_id workspace_id`,
)
/** Fields of the same in `beta`, and the `anthropic-beta` header that each needs: any beta if no source names one. */
const BETA_FIELDS: ReadonlyMap<string, RegExp> = new Map([
  ['context_management', /context-management|compact/],
  ['mcp_servers', /mcp-client/],
  ['output_format', /structured-outputs/],
  ['billing_policy', /./],
  ['compaction', /./],
  ['fallback_credit_token', /./],
  ['fallbacks', /./],
  ['thread', /./],
])

/** By the type of a block: `TextBlockParam`, `ToolUseBlockParam` and so on. Other types are not checked. */
const BLOCK_FIELDS: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  ['text', words('type text cache_control citations')],
  ['image', words('type source cache_control transformations')],
  ['tool_use', words('type id input name cache_control caller toolset_name')],
  ['tool_result', words('type tool_use_id cache_control content is_error toolset_name')],
  ['thinking', words('type thinking signature')],
  ['redacted_thinking', words('type data')],
  ['document', words('type source cache_control citations context title')],
])

const TOOL_FIELDS = words(
  `name input_schema type description cache_control strict allowed_callers defer_loading eager_input_streaming
  input_examples`,
)
const MARK_FIELDS = words('type ttl')

const TOOL_USE_ID = '^[a-zA-Z0-9_-]+$'

const extra = (path: string): Refusal => ({
  status: 400,
  message: `${path}: Extra inputs are not permitted`,
})

const unknownField = (object: JsonObject, known: ReadonlySet<string>): string | undefined =>
  Object.keys(object).find((name) => !known.has(name))

function findField({ body, headers }: RuleInput): Refusal | undefined {
  const betas = headers.get('anthropic-beta') ?? ''
  const name = Object.keys(body).find((field) => !FIELDS.has(field) && !BETA_FIELDS.get(field)?.test(betas))
  return name === undefined ? undefined : extra(name)
}

function findBlockField({ body }: RuleInput): Refusal | undefined {
  return firstOf(messagesOf(body), ({ blocks }, at) =>
    firstOf(withInner(blocks), (block, nth) => {
      const type = textOf(block.type)
      const known = BLOCK_FIELDS.get(type)
      const name = known && unknownField(block, known)
      return name === undefined ? undefined : extra(`${placeOf(at, nth)}.${type}.${name}`)
    }),
  )
}

/** Tools that the provider runs have fields of their own. */
function findToolField({ body }: RuleInput): Refusal | undefined {
  return firstOf(listOf(body.tools).map(objectOf), (tool, at) => {
    if (tool.type !== undefined && tool.type !== 'custom') return undefined
    const name = unknownField(tool, TOOL_FIELDS)
    return name === undefined ? undefined : extra(`tools.${at}.custom.${name}`)
  })
}

function findMark({ body, headers }: RuleInput): Refusal | undefined {
  if (/prompt-caching-scope/.test(headers.get('anthropic-beta') ?? '')) return undefined
  const find = (block: JsonObject, path: string): Refusal | undefined => {
    const { cache_control } = block
    const name = isObject(cache_control) ? unknownField(cache_control, MARK_FIELDS) : undefined
    return name === undefined ? undefined : extra(`${path}.cache_control.ephemeral.${name}`)
  }
  return (
    firstOf(listOf(body.tools).map(objectOf), (tool, at) => find(tool, `tools.${at}`)) ??
    firstOf(blocksOf(body.system), (block, at) => find(block, `system.${at}`)) ??
    firstOf(messagesOf(body), ({ blocks }, at) =>
      firstOf(blocks, (block, nth) => find(block, `${placeOf(at, nth)}.${textOf(block.type)}`)),
    )
  )
}

const findToolUseId = ({ body }: RuleInput): Refusal | undefined =>
  firstOf(messagesOf(body), ({ blocks }, at) =>
    firstOf(blocks, ({ type, id, tool_use_id }, nth) => {
      const [field, value] =
        type === 'tool_use' ? ['tool_use.id', id] : ['tool_result.tool_use_id', tool_use_id]
      if (!['tool_use', 'tool_result'].includes(textOf(type)) || new RegExp(TOOL_USE_ID).test(textOf(value)))
        return undefined
      const message = `${placeOf(at, nth)}.${field}: String should match pattern '${TOOL_USE_ID}'`
      return { status: 400, message }
    }),
  )

const VERSION = /^\d{4}-\d{2}-\d{2}$/

export const FIELD_RULES: readonly Rule[] = [
  {
    name: 'anthropic: version header',
    source: 'https://platform.claude.com/docs/en/api/versioning',
    find: ({ headers }) =>
      VERSION.test(headers.get('anthropic-version') ?? '')
        ? undefined
        : { status: 400, message: 'anthropic-version: header is required' },
  },
  {
    name: 'anthropic: unknown field',
    source:
      'https://github.com/amrit110/oli/issues/7, https://github.com/Aider-AI/aider/issues/4404, https://github.com/Wei-Shaw/sub2api/pull/2833, https://github.com/anthropics/claude-code/issues/14135',
    find: findField,
  },
  {
    name: 'anthropic: unknown field of a block',
    source:
      'https://github.com/anthropics/claude-code/issues/4378, https://github.com/lbjlaq/Antigravity-Manager/issues/125',
    find: findBlockField,
  },
  {
    name: 'anthropic: unknown field of a tool',
    source:
      'https://github.com/Wei-Shaw/claude-relay-service/issues/667, https://github.com/anthropics/claude-code/issues/31033',
    find: findToolField,
  },
  {
    name: 'anthropic: unknown field of a cache mark',
    source:
      'https://github.com/anthropics/claude-code/issues/25597, https://github.com/caozhiyuan/copilot-api/issues/145',
    find: findMark,
  },
  {
    name: 'anthropic: ids of tool uses',
    source:
      'https://github.com/farion1231/cc-switch/issues/1181, https://github.com/maximhq/bifrost/issues/5097',
    find: findToolUseId,
  },
]
