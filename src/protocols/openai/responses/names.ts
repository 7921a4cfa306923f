// The deciding names of responses requests.
import { namesFrom } from '../../wire/json-names.ts'
import { carries } from './carries.ts'
import { ResponsesRequest } from './decode-request.ts'
import { extras } from './extras.ts'

const PART = namesFrom(
  {
    type: 'value',
    text: 'value',
    image_url: 'value',
    file_data: 'value',
    file_url: 'value',
    file_id: 'value',
    input_audio: namesFrom({ data: 'value' }, { harmless: ['format'] }),
  },
  { harmless: ['annotations', 'detail', 'filename', 'logprobs', 'refusal'] },
)

const TOOL = namesFrom(
  {
    type: 'value',
    tools: namesFrom({ type: 'value' }, { harmless: ['description', 'name', 'parameters', 'strict'] }),
  },
  { harmless: ['description', 'format', 'name', 'parameters', 'strict'] },
)

const ITEM = namesFrom(
  {
    type: 'value',
    id: 'value',
    role: 'value',
    content: PART,
    output: PART,
    encrypted_content: 'value',
    tools: TOOL,
  },
  { harmless: ['arguments', 'call_id', 'input', 'name', 'namespace', 'phase', 'status', 'summary'] },
)

export const responsesNames = namesFrom(
  {
    model: 'value',
    stream: 'value',
    max_output_tokens: 'count',
    input: ITEM,
    instructions: 'value',
    tools: TOOL,
    tool_choice: 'value',
    text: 'value',
    reasoning: 'value',
    include: 'value',
    store: 'value',
    background: 'value',
    previous_response_id: 'value',
  },
  {
    growing: 'input',
    billed: extras.decisive_fields,
    harmless: [...Object.keys(ResponsesRequest.properties), ...Object.keys(carries.own_fields)],
    aliases: {
      max_tokens: 'max_output_tokens',
      max_completion_tokens: 'max_output_tokens',
      messages: 'input',
    },
  },
)
