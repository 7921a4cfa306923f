// The bodies of chat completions and of legacy completions, from the forms by which they are read.
import { CompletionRequest } from '../../../src/protocols/openai/completions-request.ts'
import { ToolCall } from '../../../src/protocols/openai/decode-messages.ts'
import {
  ChatRequest,
  FunctionDefinition,
  FunctionTool,
  ImageConfig,
  JsonSchemaFormat,
  ResponseFormat,
} from '../../../src/protocols/openai/decode-request.ts'
import {
  anyObject,
  constant,
  count,
  described,
  either,
  flag,
  list,
  object,
  orNull,
  quantity,
  type Schema,
  text,
  words,
} from '../schema.ts'

const functionDefinition = described(FunctionDefinition, {
  name: "The function's name.",
  description: 'What it does: the model reads this.',
  parameters: anyObject('Its parameters, as a JSON Schema.'),
  strict: 'Hold the model to the schema.',
})

const part = object(
  {
    type: text('`text`, `image_url`, `input_audio` or `file`.'),
    text: text('Of `text`.'),
    image_url: object({ url: text('A public https address, or a data URI.') }, { required: ['url'] }),
    input_audio: object({ format: words('Its format.', 'wav', 'mp3'), data: text('The bytes in base64.') }),
    file: object({ filename: text('Its name.'), file_data: text('A data URI.') }),
  },
  { required: ['type'] },
)

const toolCall = described(
  ToolCall,
  {
    id: 'The id of the call.',
    function: object(
      { name: text('The function.'), arguments: text('Its arguments, as JSON in a text.') },
      { required: ['name', 'arguments'] },
    ),
    extra_content: anyObject("What signs the call, for models of Google's: send it back as it came."),
  },
  { properties: { type: constant('function') } },
)

const message = object(
  {
    role: words('Who says it.', 'system', 'developer', 'user', 'assistant', 'tool', 'function'),
    content: either('What is said.', text('One text.'), list(part), { type: 'null' }),
    tool_calls: list(toolCall, 'Of an earlier answer: the calls that it made.'),
    tool_call_id: text('Of `tool`: the call whose result this is.'),
  },
  { required: ['role'] },
)

const limit = 'The most tokens that the answer may have. It decides what is held before the call.'

const sampling = {
  temperature: 'How much chance there is in the choice of words.',
  top_p: 'Choose among the likeliest tokens, up to this probability together.',
  seed: 'The same number gives the same answer, as far as the provider can.',
  n: 'How many answers to make. Each is paid for.',
  frequency_penalty: 'Against words that come often.',
  presence_penalty: 'Against words that have come.',
} as const

const stop = either('What ends the answer.', text('One text.'), list(text('')))
const streamOptions = object(
  { include_usage: flag('Send the usage, in a chunk of its own at the end.') },
  { description: 'Of a stream.' },
)

const usage = object(
  {
    prompt_tokens: count('Tokens of the request, those of the cache among them.'),
    completion_tokens: count('Tokens of the answer, thinking included.'),
    total_tokens: count('Both.'),
    prompt_tokens_details: anyObject('How many of them were read from a cache, and others.'),
    completion_tokens_details: anyObject('How many of them were thinking, and others.'),
  },
  { description: 'What is charged, as the provider counted it.' },
)

const finish = orNull(text('Why it ended: `stop`, `length`, `tool_calls` or `content_filter`.'))

const said = {
  role: text('`assistant`'),
  content: orNull(text('The text.')),
  refusal: orNull(text('Why the model does not answer.')),
  reasoning_content: text('Its thoughts, where the model shows them.'),
}

const image = object({
  type: constant('image_url'),
  image_url: object({ url: text('A data URI.') }, { required: ['url'] }),
})

const answerOf = (kind: string, choice: Schema): Schema =>
  object(
    {
      id: text('The id of the answer.'),
      object: constant(kind),
      created: count('Seconds since 1970, UTC.'),
      model: text('The model that was asked for.'),
      choices: list(choice),
      usage: { anyOf: [usage, { type: 'null' }] },
    },
    { required: ['id', 'object', 'created', 'model', 'choices'] },
  )

const chatRequest = described(
  ChatRequest,
  {
    ...sampling,
    model: text('The name of a model.'),
    messages: list(message, 'The conversation, the latest turn last.'),
    stream: 'Answer with events while it is written.',
    stream_options: streamOptions,
    max_completion_tokens: limit,
    max_tokens: 'The older name of `max_completion_tokens`.',
    top_k: 'Choose among this many of the likeliest tokens.',
    stop,
    reasoning_effort: 'How much the model thinks.',
    response_format: described(
      ResponseFormat,
      { type: 'A text, JSON, or JSON by a schema.' },
      {
        description: 'Of what kind the answer is.',
        properties: {
          json_schema: described(JsonSchemaFormat, {
            name: 'A name for the schema.',
            schema: anyObject('The JSON Schema.'),
            strict: 'Hold the model to it.',
          }),
        },
      },
    ),
    tools: list(
      described(FunctionTool, { type: '`function`.', function: functionDefinition }),
      'Functions that the model may call.',
    ),
    tool_choice: either(
      'Whether the model may, must or must not call one.',
      words('', 'none', 'auto', 'required'),
      anyObject('The one that it must call.'),
    ),
    parallel_tool_calls: 'Whether it may call several at once.',
    functions: { ...list(functionDefinition, 'The older form of `tools`.'), deprecated: true },
    function_call: { description: 'The older form of `tool_choice`.', deprecated: true },
    logprobs: 'Answer the log probabilities of the tokens.',
    top_logprobs: 'How many alternatives to each.',
    modalities: '`text`, `image` or both, for models that draw.',
    image_config: described(
      ImageConfig,
      { aspect_ratio: 'Such as `16:9`.', image_size: '`1K`, `2K` or `4K`.' },
      { description: 'The shape of pictures.' },
    ),
    safety_identifier: "Your own user, for the provider's fight against misuse.",
    user: 'The older name of `safety_identifier`.',
  },
  { required: ['model'] },
)

const completionRequest = described(
  CompletionRequest,
  {
    ...sampling,
    model: text('The name of a text model.'),
    prompt: either('The text to answer.', text('One text.'), list(text(''), 'A list of one.')),
    stream: 'Answer with events while it is written.',
    stream_options: streamOptions,
    max_tokens: `${limit} Without it, the model's limit applies.`,
    stop,
    logprobs: 'How many alternatives of each token to report; 0 for the chosen one alone.',
    user: "Your own user, for the provider's fight against misuse.",
  },
  { required: ['model', 'prompt'] },
)

export const chatSchemas: Readonly<Record<string, Schema>> = {
  ChatRequest: chatRequest,
  ChatCompletion: answerOf(
    'chat.completion',
    object(
      {
        index: count('Which of several answers.'),
        message: object(
          { ...said, tool_calls: list(toolCall), images: list(image, 'Pictures that the model drew.') },
          { required: ['role'] },
        ),
        finish_reason: finish,
      },
      { required: ['index', 'message', 'finish_reason'] },
    ),
  ),
  ChatChunk: answerOf(
    'chat.completion.chunk',
    object(
      {
        index: count('Which of several answers.'),
        delta: object({ ...said, tool_calls: list(anyObject('A piece of a call.')), images: list(image) }),
        finish_reason: finish,
      },
      { required: ['index', 'delta'] },
    ),
  ),
  CompletionRequest: completionRequest,
  Completion: answerOf(
    'text_completion',
    object(
      {
        index: count('Which of several answers.'),
        text: text('The text.'),
        finish_reason: finish,
        logprobs: { type: ['object', 'null'], description: 'Log probabilities, where they were asked for.' },
      },
      { required: ['index', 'text'] },
    ),
  ),
  EmbeddingsAnswer: object(
    {
      object: constant('list'),
      model: text('The model that was asked for.'),
      data: list(
        object(
          {
            object: constant('embedding'),
            index: count('Which of the inputs.'),
            embedding: either(
              'The vector.',
              list(quantity('')),
              text('The same as 32-bit floats, little-endian, in base64.'),
            ),
          },
          { required: ['index', 'embedding'] },
        ),
      ),
      usage: object({ prompt_tokens: count('Tokens of the inputs.'), total_tokens: count('The same.') }),
    },
    { required: ['object', 'data', 'model'] },
  ),
}
