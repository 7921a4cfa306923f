// Fields of a request that may explain an empty answer, in each protocol and server's spelling, and fields that may not.
import { expect, test } from 'bun:test'
import { explainsEmpty } from '../../src/protocols/explains-empty.ts'
import type { Json, JsonObject } from '../../src/protocols/wire/json.ts'

const message = (role: string, content: Json): JsonObject => ({ role, content })
const REQUEST = { messages: [message('user', 'Hi')] }
const blocks = (...content: JsonObject[]): JsonObject => ({ messages: [message('user', content)] })
const item = (type: string): JsonObject => ({ input: [{ type }, message('user', 'Go on.')] })
const part = (key: string): JsonObject => ({ contents: [{ role: 'user', parts: [{ [key]: {} }] }] })

test.each<[JsonObject]>([
  [{ stop: 'x' }],
  [{ stop: ['x'] }],
  [{ stop_sequences: ['x'] }],
  [{ generationConfig: { stopSequences: ['x'] } }],
  [{ generation_config: { stop_sequences: ['x'] } }],
  [{ generationConfig: { stop_sequences: ['x'] } }],
  [{ stop_token_ids: [1] }],
  [{ stop_regex: '.' }],
  [{ logit_bias: { 50256: 100 } }],
  [{ allowed_token_ids: [2] }],
  [{ bad_words: ['a'] }],
  [{ structured_outputs: { regex: '' } }],
  [{ guided_regex: '(|a)' }],
  [{ guided_choice: ['', 'a'] }],
  [{ guided_grammar: 'root ::= ""' }],
  [{ regex: 'a?' }],
  [{ ebnf: 'root ::= ""' }],
  [{ grammar: 'root ::= ""' }],
  [{ max_tokens: 0 }],
  [{ max_completion_tokens: 0 }],
  [{ n_predict: 0 }],
  [{ messages: [message('user', 'Hi'), message('assistant', 'All that there is.')] }],
  [
    {
      contents: [
        { role: 'user', parts: [] },
        { role: 'model', parts: [] },
      ],
    },
  ],
  [{ input: [message('user', 'Hi'), message('assistant', 'All.')] }],
  [{ messages: [message('tool', 'Done.')] }],
  [{ messages: [message('function', 'Done.')] }],
  [blocks({ type: 'tool_result', tool_use_id: 'a' })],
  [blocks({ type: 'mcp_tool_result' })],
  [blocks({ type: 'web_search_tool_result' })],
  [blocks({ type: 'web_fetch_tool_result' })],
  [blocks({ type: 'code_execution_tool_result' })],
  [blocks({ type: 'bash_code_execution_tool_result' })],
  [blocks({ type: 'text_editor_code_execution_tool_result' })],
  [blocks({ type: 'tool_search_tool_result' })],
  [blocks({ type: 'advisor_tool_result' })],
  [item('function_call_output')],
  [item('custom_tool_call_output')],
  [item('local_shell_call_output')],
  [item('shell_call_output')],
  [item('apply_patch_call_output')],
  [item('computer_call_output')],
  [item('tool_search_output')],
  [item('web_search_call')],
  [item('file_search_call')],
  [item('code_interpreter_call')],
  [item('image_generation_call')],
  [item('mcp_call')],
  [item('mcp_approval_response')],
  [part('functionResponse')],
  [part('function_response')],
  [part('codeExecutionResult')],
  [part('toolResponse')],
])('%j may explain an empty answer', (fields) => {
  expect(explainsEmpty({ ...REQUEST, ...fields })).toBe(true)
})

test.each<[JsonObject]>([
  [{}],
  [{ stop: null }],
  [{ stop: [] }],
  [{ stop: '' }],
  [{ logit_bias: {} }],
  [{ generationConfig: { stopSequences: [] } }],
  [{ max_tokens: 1 }],
  [{ response_format: { type: 'json_object' }, temperature: 0, seed: 1 }],
  [{ tools: [{ type: 'function', function: { name: 'web_search_tool_result' } }] }],
  [{ messages: [message('user', 'Hi'), message('assistant', 'Yes?'), message('user', 'stop tool_result')] }],
  [item('function_call')],
  [{ input: 'Hi' }],
  [part('text')],
])('%j may not explain an empty answer', (fields) => {
  expect(explainsEmpty({ ...REQUEST, ...fields })).toBe(false)
})
