// The bodies of responses, from the forms by which they are read.
import {
  Reasoning,
  ResponsesRequest,
  TextConfig,
  TextFormat,
} from '../../../src/protocols/openai/responses/decode-request.ts'
import {
  anyObject,
  constant,
  count,
  described,
  either,
  flag,
  list,
  object,
  ref,
  type Schema,
  text,
  words,
} from '../schema.ts'

const request = described(
  ResponsesRequest,
  {
    model: text('The name of a text model.'),
    input: either(
      'What is said: a text, or items.',
      text('One text.'),
      list(anyObject('A message, a call of a tool or its result, reasoning, a picture, and others.')),
    ),
    instructions: 'What the model is told before the conversation.',
    stream: 'Answer with events while it is written.',
    max_output_tokens: 'The most tokens that the answer may have. It decides what is held before the call.',
    temperature: 'How much chance there is in the choice of words.',
    top_p: 'Choose among the likeliest tokens, up to this probability together.',
    top_k: 'Choose among this many of the likeliest tokens.',
    top_logprobs: 'How many alternatives to each token.',
    reasoning: described(
      Reasoning,
      {
        effort: 'How much the model thinks.',
        summary: 'Show its thoughts: `auto`, `concise` or `detailed`.',
        generate_summary: 'The former name of `summary`.',
      },
      { description: 'Thinking before the answer.' },
    ),
    text: described(
      TextConfig,
      {
        format: described(
          TextFormat,
          { type: 'Of what kind the answer is.' },
          {
            properties: {
              name: text('A name for the schema.'),
              schema: anyObject('The JSON Schema.'),
              strict: flag('Hold the model to it.'),
            },
          },
        ),
        verbosity: '`low`, `medium` or `high`.',
      },
      { description: 'The form of the answer.' },
    ),
    tools: list(
      anyObject(
        "Functions and custom tools. `image_generation` works with every model. Tools that a provider runs need a price of the operator's.",
      ),
      'Tools that the model may use.',
    ),
    tool_choice: either(
      'Whether the model may, must or must not use one.',
      words('', 'none', 'auto', 'required'),
      anyObject('The one that it must use.'),
    ),
    parallel_tool_calls: 'Whether it may use several at once.',
    include: 'What to answer besides, such as `reasoning.encrypted_content`.',
    safety_identifier: "Your own user, for the provider's fight against misuse.",
    user: 'The older name of `safety_identifier`.',
  },
  {
    required: ['model'],
    properties: {
      previous_response_id: text('A kept response of this account, which this one continues.'),
      store: flag('Keep the response, so that it can be continued and read. True by default.'),
      metadata: anyObject('Your own notes, given back with the response.'),
    },
  },
)

export const responsesSchemas: Readonly<Record<string, Schema>> = {
  ResponsesRequest: request,
  Response: object(
    {
      id: text('The id of the response.'),
      object: constant('response'),
      created_at: count('Seconds since 1970, UTC.'),
      status: text('`completed`, `incomplete`, `failed` or `in_progress`.'),
      error: { type: ['object', 'null'], description: 'Why it failed.' },
      incomplete_details: { type: ['object', 'null'], description: 'Why it is not complete.' },
      model: text('The model that was asked for.'),
      output: list(ref('OutputItem')),
      usage: {
        type: ['object', 'null'],
        description: 'What is charged, as the provider counted it.',
        properties: {
          input_tokens: count('Tokens of the request.'),
          output_tokens: count('Tokens of the answer, thinking included.'),
          total_tokens: count('Both.'),
        },
      },
    },
    { required: ['id', 'object', 'created_at', 'status', 'model', 'output'] },
  ),
  OutputItem: object(
    {
      id: text('The id of the item.'),
      type: text('`message`, `function_call`, `reasoning`, `image_generation_call` and others.'),
      status: text('`completed`, `incomplete`, `failed` or `in_progress`.'),
      content: list(anyObject('Of a message: a part, such as `output_text`.')),
      call_id: text('Of a call: what its result names.'),
      name: text('Of a call: the function.'),
      arguments: text('Of a call: its arguments, as JSON in a text.'),
    },
    { required: ['type'] },
  ),
  ResponseEvent: object(
    {
      type: text('`response.created`, `response.output_text.delta`, `response.completed` and others.'),
      sequence_number: count('From 0.'),
      response: ref('Response'),
      item: ref('OutputItem'),
      delta: { description: 'What is added.' },
    },
    { required: ['type', 'sequence_number'] },
  ),
}
