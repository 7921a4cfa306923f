// The bodies of messages, from the forms by which they are read.
import {
  DocumentBlock,
  ImageBlock,
  Message,
  TextBlock,
  ThinkingBlock,
  ToolResultBlock,
  ToolUseBlock,
} from '../../../src/protocols/anthropic/decode-messages.ts'
import {
  MessagesRequest,
  OutputConfig,
  SchemaFormat,
  ThinkingSettings,
  Tool,
  ToolChoiceSettings,
} from '../../../src/protocols/anthropic/decode-request.ts'
import {
  anyObject,
  constant,
  count,
  described,
  either,
  list,
  object,
  orNull,
  ref,
  type Schema,
  text,
  words,
} from '../schema.ts'

const typed = (type: string): { properties: { type: Schema }; required: string[] } => ({
  properties: { type: constant(type) },
  required: ['type'],
})

const source = object(
  {
    type: words('How it comes.', 'base64', 'url', 'text'),
    media_type: text('Such as `image/png`.'),
    data: text('The bytes in base64; of `text`, the text.'),
    url: text('A public https address.'),
  },
  { required: ['type'] },
)

const blocks = {
  TextBlock: described(TextBlock, { text: 'The text.' }, typed('text')),
  ImageBlock: described(ImageBlock, { source }, typed('image')),
  DocumentBlock: described(DocumentBlock, { source, title: 'Its title.' }, typed('document')),
  ToolUseBlock: described(
    ToolUseBlock,
    { id: 'The id of the call.', name: 'The tool.', input: anyObject('Its input.') },
    typed('tool_use'),
  ),
  ToolResultBlock: described(
    ToolResultBlock,
    {
      tool_use_id: 'The id of the call.',
      content: either(
        'What the tool returned.',
        text('A text.'),
        list(anyObject('A block of text, image or document.')),
      ),
      is_error: 'The tool failed.',
    },
    typed('tool_result'),
  ),
  ThinkingBlock: described(
    ThinkingBlock,
    { thinking: 'The thoughts.', signature: 'Send it back as it came.' },
    typed('thinking'),
  ),
}

const usage = object(
  {
    input_tokens: count('Tokens of the request that were in no cache.'),
    cache_creation_input_tokens: count('Tokens that were written to the cache.'),
    cache_read_input_tokens: count('Tokens that were read from it.'),
    output_tokens: count('Tokens of the answer, thinking included.'),
  },
  { description: 'What is charged, as the provider counted it.' },
)

const schemaFormat = described(
  SchemaFormat,
  { type: '`json_schema`.', schema: anyObject('The JSON Schema.') },
  { description: 'Hold the answer to a JSON Schema.' },
)

const request = described(
  MessagesRequest,
  {
    model: text('The name of a model.'),
    max_tokens: 'The most tokens that the answer may have. It decides what is held before the call.',
    messages: list(ref('MessageParam'), 'The conversation, the latest turn last.'),
    system: either(
      'What the model is told before the conversation.',
      text('One text.'),
      list(ref('TextBlock')),
    ),
    stream: 'Answer with events while it is written.',
    temperature: 'How much chance there is in the choice of words.',
    top_p: 'Choose among the likeliest tokens, up to this probability together.',
    top_k: 'Choose among this many of the likeliest tokens.',
    stop_sequences: 'Texts that end the answer.',
    thinking: described(
      ThinkingSettings,
      { type: 'Whether the model thinks.', display: text('How its thoughts are shown.') },
      {
        description: 'Thinking before the answer.',
        properties: { budget_tokens: count('Of thinking that is enabled: the most tokens for it.') },
      },
    ),
    output_config: described(
      OutputConfig,
      { effort: 'How much work the model puts into the answer.', format: schemaFormat },
      { description: 'How the answer is made.' },
    ),
    output_format: { ...schemaFormat, description: 'The older name of `output_config.format`.' },
    tools: list(
      described(Tool, {
        name: "The tool's name.",
        description: 'What it does: the model reads this.',
        input_schema: anyObject('Its input, as a JSON Schema.'),
        strict: 'Hold the model to the schema.',
      }),
      'Tools that the model may use.',
    ),
    tool_choice: described(
      ToolChoiceSettings,
      {
        type: 'Whether the model may, must or must not use a tool; `tool` for the one that `name` says.',
        disable_parallel_tool_use: 'At most one at a time.',
      },
      { description: 'The choice among the tools.', properties: { name: text('That tool.') } },
    ),
    metadata: object(
      { user_id: text("Your own user, for the provider's fight against misuse.") },
      { description: 'What the provider is told of the request.' },
    ),
  },
  {
    required: ['model'],
    properties: { cache_control: anyObject("Of Anthropic's models: keep the prompt in the cache.") },
  },
)

export const messagesSchemas: Readonly<Record<string, Schema>> = {
  ...blocks,
  MessageParam: described(
    Message,
    {
      role: 'Who says it.',
      content: either(
        'What is said.',
        text('One text.'),
        list({ anyOf: [...Object.keys(blocks).map(ref), anyObject('Another block of the API.')] }),
      ),
    },
    { required: ['content'] },
  ),
  MessagesRequest: request,
  Message: object(
    {
      id: text('The id of the answer.'),
      type: constant('message'),
      role: constant('assistant'),
      model: text('The model that was asked for.'),
      content: list(ref('AnswerBlock')),
      stop_reason: orNull(
        text(
          'Why the answer ended: `end_turn`, `max_tokens`, `stop_sequence`, `tool_use`, `refusal` and others.',
        ),
      ),
      stop_sequence: orNull(text('The text that ended it.')),
      usage,
    },
    { required: ['id', 'type', 'role', 'model', 'content', 'stop_reason', 'usage'] },
  ),
  AnswerBlock: object(
    {
      type: text('`text`, `thinking`, `redacted_thinking` or `tool_use`.'),
      text: text('Of `text`.'),
      thinking: text('Of `thinking`.'),
      signature: text('Of `thinking`: send it back as it came.'),
      data: text('Of `redacted_thinking`: send it back as it came.'),
      id: text('Of `tool_use`: the id of the call.'),
      name: text('Of `tool_use`: the tool.'),
      input: anyObject('Of `tool_use`: its input.'),
    },
    { required: ['type'] },
  ),
  MessageEvent: object(
    {
      type: text(
        '`message_start`, `content_block_start`, `content_block_delta`, `content_block_stop`, `message_delta`, `message_stop`, `ping` or `error`.',
      ),
      message: ref('Message'),
      index: count('Which block.'),
      content_block: ref('AnswerBlock'),
      delta: anyObject('What is added.'),
      usage,
    },
    { required: ['type'] },
  ),
}
