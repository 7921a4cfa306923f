// The deciding names of messages requests.
import { namesFrom } from '../wire/json-names.ts'
import { carries } from './carries.ts'
import { MessagesRequest } from './decode-request.ts'
import { extras } from './extras.ts'

/** A content block. Its content and that of its source are blocks again. */
const BLOCK = namesFrom(
  {
    type: 'value',
    text: 'value',
    thinking: 'value',
    data: 'value',
  },
  {
    harmless: ['id', 'name', 'input', 'tool_use_id', 'is_error', 'signature', 'cache_control', 'title'],
    inside: ['content', 'source'],
  },
)

const MESSAGE = namesFrom({ role: 'value', content: BLOCK })
const TOOL = namesFrom(
  { type: 'value', name: 'value' },
  { harmless: ['description', 'input_schema', 'strict', 'cache_control'] },
)

/** Includes fields that the provider bills beside tokens, so that no other spelling of them passes. */
export const messagesNames = namesFrom(
  {
    model: 'value',
    stream: 'value',
    max_tokens: 'count',
    messages: MESSAGE,
    system: BLOCK,
    tools: TOOL,
    thinking: namesFrom({ type: 'value', budget_tokens: 'count' }),
    output_config: namesFrom({ effort: 'value', format: 'value' }),
    output_format: 'value',
  },
  {
    growing: 'messages',
    billed: extras.decisive_fields,
    harmless: [...Object.keys(MessagesRequest.properties), ...Object.keys(carries.own_fields)],
    // From the older completions protocol, and from servers that also speak other protocols.
    aliases: {
      max_tokens_to_sample: 'max_tokens',
      max_completion_tokens: 'max_tokens',
      n_predict: 'max_tokens',
    },
  },
)
