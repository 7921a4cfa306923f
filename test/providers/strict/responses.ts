// Examples of the rules of OpenAI's Responses API.
import { type Body, type Call, type Example, text } from './example.ts'

const to = (model: string, more: Body = {}): Call => ({
  path: '/v1/responses',
  body: { model, input: 'Tides?', ...more },
})

const call = (call_id: string): Body => ({
  type: 'function_call',
  call_id,
  name: 'get_time',
  arguments: '{}',
})
const output = (call_id: string): Body => ({ type: 'function_call_output', call_id, output: 'nine' })
const user: Body = { role: 'user', content: 'Tides?' }
const reasoning = (encrypted_content: string): Body => ({
  type: 'reasoning',
  id: 'rs_1',
  summary: [],
  encrypted_content,
})

export const RESPONSES_EXAMPLES: readonly Example[] = [
  {
    rule: 'responses: unknown field',
    refused: to('gpt-5.4', { messages: [] }),
    words: `Unknown parameter: 'messages'.`,
    passes: to('gpt-5.4', { truncation: 'auto' }),
  },
  {
    rule: 'responses: unknown field of an item',
    refused: to('gpt-5.4', { input: [{ ...user, cache_control: { type: 'ephemeral' } }] }),
    words: `Unknown parameter: 'input[0].cache_control'.`,
    passes: to('gpt-5.4', { input: [{ ...user, type: 'message' }] }),
  },
  {
    rule: 'responses: lengths of names and ids',
    refused: to('gpt-5.4', { input: [user, call(text(86)), output(text(86))] }),
    words: `Invalid 'input[1].call_id': string too long. Expected a string with maximum length 64, but got a string with length 86 instead.`,
    passes: to('gpt-5.4', { input: [user, call(text(64)), output(text(64))] }),
  },
  {
    rule: 'responses: calls and their outputs',
    refused: to('gpt-5.4', { input: [user, call('call_1')] }),
    words: `No tool output found for function call call_1.`,
    passes: to('gpt-5.4', { input: [user, call('call_1'), output('call_1')] }),
  },
  {
    rule: 'responses: calls and their outputs',
    refused: to('gpt-5.4', { input: [user, output('call_1')] }),
    words: `No tool call found for function call output with call_id call_1.`,
    passes: to('gpt-5.4', { input: [user] }),
  },
  {
    rule: 'responses: encrypted reasoning',
    refused: to('gpt-5.4', { input: [user, reasoning('CmVuY3J5cHRlZA==')] }),
    words: `The encrypted content CmVu...ZA== could not be verified.","type":"invalid_request_error","param":null,"code":"invalid_encrypted_content"`,
    passes: to('gpt-5.4', { input: [user, reasoning('gAAAAABIbQ')] }),
  },
  {
    rule: 'responses: unknown field of an item',
    refused: to('gpt-5.4', { input: [user, { ...reasoning('gAAAAABIbQ'), status: 'completed' }] }),
    words: `Unknown parameter: 'input[1].status'.`,
    passes: to('gpt-5.4', { input: [user, reasoning('gAAAAABIbQ')] }),
  },
  {
    rule: 'responses: output limit',
    refused: to('gpt-5.4', { max_output_tokens: 10 }),
    words: `Invalid 'max_output_tokens': integer below minimum value. Expected a value >= 16, but got 10 instead.`,
    passes: to('gpt-5.4', { max_output_tokens: 16 }),
  },
  {
    rule: 'responses: effort by generation',
    refused: to('gpt-5.1', { reasoning: { effort: 'minimal' } }),
    words: `Unsupported value: 'minimal' is not supported with the 'gpt-5.1' model. Supported values are: 'none', 'low', 'medium', and 'high'.`,
    passes: to('gpt-5', { reasoning: { effort: 'minimal' } }),
  },
  {
    rule: 'responses: effort by generation',
    refused: to('gpt-5.1-codex', { reasoning: { effort: 'none' } }),
    words: `Unsupported value: 'none' is not supported with the 'gpt-5.1-codex' model. Supported values are: 'low', 'medium', and 'high'.`,
    passes: to('gpt-5.2-codex', { reasoning: { effort: 'xhigh' } }),
  },
  {
    rule: 'responses: effort by generation',
    refused: to('gpt-5-pro', { reasoning: { effort: 'medium' } }),
    words: `Unsupported value: 'medium' is not supported with the 'gpt-5-pro' model. Supported values are: 'high'.`,
    passes: to('gpt-5.4-pro', { reasoning: { effort: 'medium' } }),
  },
  {
    rule: 'responses: effort by generation',
    refused: to('gpt-4.1', { reasoning: { effort: 'low' } }),
    words: `Unsupported parameter: 'reasoning.effort' is not supported with this model.`,
    passes: to('gpt-4.1', { temperature: 0.5 }),
  },
  {
    rule: 'responses: log probabilities of models that reason',
    refused: to('gpt-5-mini', { include: ['message.output_text.logprobs'], top_logprobs: 3 }),
    words: `"message":"logprobs are not supported with reasoning models.","type":"invalid_request_error","param":"include","code":"unsupported_parameter"`,
    passes: to('gpt-4.1', { include: ['message.output_text.logprobs'], top_logprobs: 3 }),
  },
  {
    rule: 'responses: JSON without the word',
    refused: to('gpt-5.4', { text: { format: { type: 'json_object' } } }),
    words: `Response input messages must contain the word 'json' in some form to use 'text.format' of type 'json_object'.`,
    passes: to('gpt-5.4', { text: { format: { type: 'json_object' } }, input: 'Tides, as JSON.' }),
  },
  {
    rule: 'responses: sampling by generation',
    refused: to('gpt-5', { temperature: 0.5 }),
    words: `Unsupported parameter: 'temperature' is not supported with this model.`,
    passes: to('gpt-5.4', { temperature: 0.5, reasoning: { effort: 'none' } }),
  },
]
