// Examples of the rules of the Gemini API.
import { sign } from '../gemini/signature.ts'
import { type Body, type Call, type Example, text } from './example.ts'

const contents = (...turns: Body[][]): Body => ({
  contents: turns.map((parts, at) => ({ role: at % 2 === 0 ? 'user' : 'model', parts })),
})
const TEXT = { text: 'Tides?' }
const call = (more: Body = {}): Body => ({ functionCall: { name: 'get_time', args: {} }, ...more })
const response: Body = { functionResponse: { name: 'get_time', response: { result: 'nine' } } }
const signed: Body = { thoughtSignature: sign('Hm.') }

const to = (model: string, more: Body = {}): Call => ({
  path: `/v1beta/models/${model}:generateContent`,
  body: { ...contents([TEXT]), ...more },
})

const tools = (declared: Body): Body => ({ tools: [{ functionDeclarations: [declared] }] })
const thinking = (thinkingConfig: Body): Body => ({ generationConfig: { thinkingConfig } })
const JSON_ANSWER = { generationConfig: { responseMimeType: 'application/json' } }

const picture = (data: string): Call =>
  to('gemini-2.5-flash', contents([TEXT, { inlineData: { mimeType: 'image/jpeg', data } }]))

export const GEMINI_EXAMPLES: readonly Example[] = [
  {
    rule: 'gemini: truncated images',
    refused: picture('_9j_4AAQ'),
    words: 'Unable to process input image.',
    passes: picture('_9j_4AAQ_9k'),
  },
  {
    rule: 'gemini: unknown field',
    refused: to('gemini-2.5-flash', { google: {} }),
    words:
      '"message":"Invalid JSON payload received. Unknown name \\"google\\": Cannot find field.","status":"INVALID_ARGUMENT"',
    passes: to('gemini-2.5-flash', { system_instruction: { parts: [TEXT] } }),
  },
  {
    rule: 'gemini: unknown field of the configuration',
    refused: to('gemini-2.5-flash', { generationConfig: { maxTokens: 9 } }),
    words: 'Unknown name \\"maxTokens\\" at \'generation_config\': Cannot find field.',
    passes: to('gemini-2.5-flash', { generation_config: { max_output_tokens: 9 } }),
  },
  {
    rule: 'gemini: unknown field of a part',
    refused: to('gemini-2.5-flash', contents([{ ...TEXT, type: 'text' }])),
    words: 'Unknown name \\"type\\" at \'contents[0].parts[0]\': Cannot find field.',
    passes: to('gemini-2.5-flash', contents([{ ...TEXT, thought: true }, TEXT])),
  },
  {
    rule: 'gemini: unknown field of a tool or its schema',
    refused: to(
      'gemini-2.5-flash',
      tools({
        name: 'get_time',
        parameters: { type: 'object', properties: { zone: { type: 'string', const: 'UTC' } } },
      }),
    ),
    words:
      'Unknown name \\"const\\" at \'tools[0].function_declarations[0].parameters.properties[0].value\': Cannot find field.',
    passes: to(
      'gemini-2.5-flash',
      tools({
        name: 'get_time',
        parametersJsonSchema: { type: 'object', properties: { zone: { type: 'string', const: 'UTC' } } },
      }),
    ),
  },
  {
    rule: 'gemini: contents and their parts',
    refused: to('gemini-2.5-flash', contents([])),
    words: 'GenerateContentRequest.contents[0].parts: contents.parts must not be empty.',
    passes: to('gemini-2.5-flash'),
  },
  {
    rule: 'gemini: output limit',
    refused: to('gemini-2.5-flash', { generationConfig: { maxOutputTokens: 0 } }),
    words: 'max_output_tokens must be positive.',
    passes: to('gemini-2.5-flash', { generationConfig: { maxOutputTokens: 1 } }),
  },
  {
    rule: 'gemini: names of functions',
    refused: to('gemini-2.5-flash', tools({ name: '1st' })),
    words:
      'GenerateContentRequest.tools[0].function_declarations[0].name: Invalid function name. Must start with a letter or an underscore.',
    passes: to('gemini-2.5-flash', tools({ name: `mcp.files:read-${text(100)}` })),
  },
  {
    rule: 'gemini: number of responses',
    refused: to('gemini-2.5-flash', contents([TEXT], [call(), call()], [response])),
    words:
      'Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn.',
    passes: to('gemini-2.5-flash', contents([TEXT], [call(), call()], [response, response])),
  },
  {
    rule: 'gemini: place of calls',
    refused: to('gemini-2.5-flash', {
      contents: [
        { role: 'model', parts: [call()] },
        { role: 'user', parts: [response] },
      ],
    }),
    words:
      'Please ensure that function call turn comes immediately after a user turn or after a function response turn.',
    passes: to('gemini-2.5-flash', contents([TEXT], [call()], [response], [call()], [response])),
  },
  {
    rule: 'gemini: signatures of calls in the current turn',
    refused: to('gemini-3-pro-preview', contents([TEXT], [call()], [response])),
    words:
      'Function call is missing a thought_signature in functionCall parts. This is required for tools to work correctly',
    passes: to('gemini-3-pro-preview', contents([TEXT], [call(signed), call()], [response, response])),
  },
  {
    rule: 'gemini: signatures of calls in the current turn',
    refused: to('gemini-3-pro-preview', contents([TEXT], [call(signed)], [response], [call()], [response])),
    words: 'function call `default_api:get_time` , position 4.',
    passes: to('gemini-3-pro-preview', contents([TEXT], [call()], [response], [TEXT], [TEXT])),
  },
  {
    rule: 'gemini: foreign signatures',
    refused: to(
      'gemini-3-pro-preview',
      contents([TEXT], [call({ thoughtSignature: 'Y2xhdWRl' })], [response]),
    ),
    words: 'Corrupted thought signature.',
    passes: to(
      'gemini-3-pro-preview',
      contents([TEXT], [call({ thoughtSignature: 'skip_thought_signature_validator' })], [response]),
    ),
  },
  {
    rule: 'gemini: budget and level of thinking',
    refused: to('gemini-3-pro-preview', thinking({ thinkingBudget: 1_024, thinkingLevel: 'LOW' })),
    words: 'You can only set only one of thinking budget and thinking level.',
    passes: to('gemini-3-pro-preview', thinking({ thinkingLevel: 'LOW' })),
  },
  {
    rule: 'gemini: budget of thinking by generation',
    refused: to('gemini-2.5-pro', thinking({ thinkingBudget: 0 })),
    words: 'Budget 0 is invalid. This model only works in thinking mode.',
    passes: to('gemini-2.5-flash', thinking({ thinkingBudget: 0 })),
  },
  {
    rule: 'gemini: budget of thinking by generation',
    refused: to('gemini-2.5-flash', thinking({ thinkingBudget: 32_768 })),
    words: 'The thinking budget 32768 is invalid.',
    passes: to('gemini-2.5-pro', thinking({ thinkingBudget: 32_768 })),
  },
  {
    rule: 'gemini: level of thinking by generation',
    refused: to('gemini-2.5-flash', thinking({ thinkingLevel: 'LOW' })),
    words: 'Thinking level is not supported for this model.',
    passes: to('gemini-3-flash-preview', thinking({ thinkingLevel: 'LOW' })),
  },
  ...(
    [
      ['gemini-3-pro-preview', 'MEDIUM', 'gemini-3.1-pro-preview'],
      ['gemini-3.1-pro-preview', 'MINIMAL', 'gemini-3.6-flash'],
      ['gemini-3.7-flash', 'MINIMAL', 'gemini-3.1-flash-lite'],
      ['gemini-3-pro-image-preview', 'MEDIUM', 'gemini-3.8-flash'],
      ['gemini-3.1-flash-image', 'LOW', 'gemini-4-argon'],
    ] as const
  ).map(([model, thinkingLevel, taking]) => ({
    rule: 'gemini: level of thinking by generation',
    refused: to(model, thinking({ thinkingLevel })),
    words: `Thinking level ${thinkingLevel} is not supported for this model. Please retry with other thinking level.`,
    passes: to(taking, thinking({ thinkingLevel })),
  })),
  ...(
    [
      ['gemini-3.6-flash', 'gemini-3.5-flash'],
      ['gemini-3.5-flash-lite', 'gemini-3.1-flash-lite'],
      ['gemini-3.8-flash', 'gemini-3-pro-preview'],
      ['gemini-4-argon', 'gemini-2.5-flash'],
    ] as const
  ).map(([model, taking]) => ({
    rule: 'gemini: prefill by generation',
    refused: to(model, contents([TEXT], [TEXT])),
    words: 'Requests ending with a model turn are not supported.',
    passes: to(taking, contents([TEXT], [TEXT])),
  })),
  ...['frequencyPenalty', 'presence_penalty'].map((name) => ({
    rule: 'gemini: penalties by generation',
    refused: to('gemini-2.5-flash', { generationConfig: { [name]: 0.2 } }),
    words: 'Penalty is not enabled for this model',
    passes: to('gemini-2.0-flash', { generationConfig: { [name]: 0.2 } }),
  })),
  {
    rule: 'gemini: penalties by generation',
    refused: to('gemini-3.8-flash', { generationConfig: { frequencyPenalty: -1 } }),
    words: 'Penalty is not enabled for this model',
    passes: to('gemini-3.8-flash', { generationConfig: { frequencyPenalty: 0 } }),
  },
  {
    rule: 'gemini: functions together with JSON',
    refused: to('gemini-2.5-flash', { ...tools({ name: 'get_time' }), ...JSON_ANSWER }),
    words: "Function calling with a response mime type: 'application/json' is unsupported",
    passes: to('gemini-3-flash-preview', { ...tools({ name: 'get_time' }), ...JSON_ANSWER }),
  },
]
