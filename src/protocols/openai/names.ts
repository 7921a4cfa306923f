// The deciding names of chat completion and embeddings requests.
import { namesFrom } from '../wire/json-names.ts'
import { carries } from './carries.ts'
import { ChatRequest } from './decode-request.ts'
import { extras } from './extras.ts'

const PART = namesFrom(
  {
    type: 'value',
    text: 'value',
    image_url: 'value',
    input_audio: namesFrom({ data: 'value' }, { harmless: ['format'] }),
    file: namesFrom({ file_data: 'value' }, { harmless: ['filename', 'file_id'] }),
  },
  { harmless: ['cache_control'] },
)

const MESSAGE = namesFrom(
  { role: 'value', content: PART, tool_calls: 'value', function_call: 'value' },
  { harmless: ['name', 'tool_call_id', 'refusal', 'reasoning_content'] },
)

const TOOL = namesFrom({ type: 'value', function: 'value' })

/** Names of a chat completion, including fields that providers bill beside tokens, so that no other spelling of them passes. */
export const chatNames = namesFrom(
  {
    model: 'value',
    stream: 'value',
    stream_options: namesFrom({ include_usage: 'value' }),
    max_tokens: 'count',
    max_completion_tokens: 'count',
    n: 'count',
    messages: MESSAGE,
    tools: TOOL,
    functions: 'value',
    response_format: 'value',
    reasoning_effort: 'value',
    modalities: 'value',
    image_config: 'value',
    audio: 'value',
    prediction: 'value',
    store: 'value',
    // Fields of OpenRouter's.
    reasoning: 'value',
    usage: 'value',
  },
  {
    growing: 'messages',
    billed: extras.decisive_fields,
    harmless: [...Object.keys(ChatRequest.properties), ...Object.keys(carries.own_fields)],
    // From llama.cpp, KoboldCpp and other servers, beside or instead of the protocol's own names.
    aliases: {
      n_predict: 'max_tokens',
      num_predict: 'max_tokens',
      max_new_tokens: 'max_tokens',
      max_output_tokens: 'max_completion_tokens',
      max_length: 'max_tokens',
      n_cmpl: 'n',
      best_of: 'n',
    },
  },
)

/** Names of an embeddings request. Some servers read `messages` in place of `input`. */
export const embeddingNames = namesFrom(
  { model: 'value', input: 'value', dimensions: 'value', encoding_format: 'value' },
  { billed: extras.decisive_fields, harmless: ['user'], aliases: { messages: 'input' } },
)
