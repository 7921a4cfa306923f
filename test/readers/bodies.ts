// Request bodies that JSON readers read differently, and the gateway's decision on each.
import type { Kind } from './readings.ts'

/** The decision on a body: refused, with the field that the refusal names, or sent, unchanged or written anew. */
type Fate = { refused: string } | 'sent'

export const MODEL_OF: Readonly<Record<Kind, string>> = {
  chat: 'gpt-5',
  messages: 'claude-haiku-4-5',
  generate: 'gemini-2.5-flash',
  embeddings: 'embedder',
}

/** The fields that a body needs besides those of a row, each with the model's name. */
const REST: Readonly<Record<Kind, string>> = {
  chat: `"model":"${MODEL_OF.chat}","messages":[{"role":"user","content":"Hi"}]`,
  messages: `"model":"${MODEL_OF.messages}","max_tokens":9,"messages":[{"role":"user","content":"Hi"}]`,
  generate: '"contents":[{"role":"user","parts":[{"text":"Hi"}]}]',
  embeddings: `"model":"${MODEL_OF.embeddings}","input":"Hi"`,
}

const BIG = '"a text that was not paid for"'
const refused = (field: string): Fate => ({ refused: field })

/** A row has the fields that follow the rest of a body; a row of WHOLE has the whole body. */
type Row = [kind: Kind, fields: string, fate: Fate]

const ROWS: Row[] = [
  // A model that costs more than the priced one.
  ['chat', '"Model":"dear"', refused('Model')],
  ['chat', '"MODEL":"dear"', refused('MODEL')],
  ['chat', '"model":"dear"', refused('model')],
  ['chat', '"mod\\u0065l":"dear"', refused('model')],
  ['chat', '"mo-del":"dear"', refused('mo-del')],
  ['chat', '"model\\u0000":"dear"', refused('model\0')],
  ['chat', '"\uff4dodel":"dear"', refused('\uff4dodel')],
  ['messages', '"Model":"dear"', refused('Model')],
  ['messages', '"model":"dear"', refused('model')],
  ['generate', '"Model":"models/dear"', refused('Model')],
  ['generate', '"model":"models/dear"', 'sent'],
  ['embeddings', '"Model":"dear"', refused('Model')],
  ['embeddings', '"model":"dear"', refused('model')],
  // A limit above the one of the hold.
  ['chat', '"max_tokens":1,"MAX_TOKENS":5000', refused('MAX_TOKENS')],
  ['chat', '"max_tokens":1,"max_to\u212aens":5000', refused('max_to\u212aens')],
  ['chat', '"max_tokens":1,"max_to\\u212aens":5000', refused('max_to\u212aens')],
  ['chat', '"max_tokens":1,"max_token\u017f":5000', refused('max_token\u017f')],
  ['chat', '"max_tokens":1,"maxTokens":5000', refused('maxTokens')],
  ['chat', '"max_tokens":1,"max_tokens":5000', refused('max_tokens')],
  ['chat', '"max_tokens":5000,"max_tokens":1', refused('max_tokens')],
  ['chat', '"max_tokens":1,"n_predict":5000', refused('n_predict')],
  ['chat', '"max_completion_tokens":1,"Max_Completion_Tokens":5000', refused('Max_Completion_Tokens')],
  ['messages', '"Max_Tokens":5000', refused('Max_Tokens')],
  ['messages', '"max_tokens":5000', refused('max_tokens')],
  ['generate', '"generation_Config":{"maxOutputTokens":5000}', refused('generation_Config')],
  ['generate', '"GenerationConfig":{"maxOutputTokens":5000}', refused('GenerationConfig')],
  [
    'generate',
    '"generationConfig":{"maxOutputTokens":1},"generation_config":{"max_output_tokens":5000}',
    refused('generation_config'),
  ],
  [
    'generate',
    '"generationConfig":{"maxOutputTokens":1,"MaxOutputTokens":5000}',
    refused('generationConfig.MaxOutputTokens'),
  ],
  [
    'generate',
    '"generationConfig":{"maxOutputTokens":5000,"maxOutputTokens":1}',
    refused('generationConfig.maxOutputTokens'),
  ],
  [
    'generate',
    '"generationConfig":{"maxOutputTokens":1,"max_output_tokens":5000}',
    refused('generationConfig.max_output_tokens'),
  ],
  ['generate', '"generation_config":{"max_output_tokens":7}', 'sent'],
  ['generate', '"generationConfig":{"max_output_tokens":7,"topK":1.0}', 'sent'],
  // No limit at all, for servers that read 0 as none, or truncate a number.
  ['chat', '"max_tokens":0', refused('max_tokens')],
  ['chat', '"max_tokens":-0', refused('max_tokens')],
  ['chat', '"max_tokens":0.0', refused('max_tokens')],
  ['chat', '"max_completion_tokens":0', refused('max_completion_tokens')],
  ['chat', '"max_tokens":10,"max_completion_tokens":0', refused('max_completion_tokens')],
  ['chat', '"max_tokens":-1', refused('max_tokens')],
  ['chat', '"max_tokens":1e400', refused('max_tokens')],
  ['chat', '"max_tokens":9007199254740993', refused('max_tokens')],
  ['chat', '"max_tokens":1.5', refused('max_tokens')],
  ['chat', '"max_tokens":"10"', refused('max_tokens')],
  ['chat', '"max_tokens":0.99999999999999999999', 'sent'],
  ['chat', '"max_tokens":7.0', 'sent'],
  ['chat', '"max_tokens":0.7e1', 'sent'],
  ['generate', '"generationConfig":{"maxOutputTokens":0}', refused('generationConfig.maxOutputTokens')],
  ['generate', '"generationConfig":{"maxOutputTokens":0.7e1}', 'sent'],
  // More candidates than in the hold.
  ['chat', '"n":1,"N":90', refused('N')],
  ['chat', '"n":90,"n":1', refused('n')],
  ['chat', '"n":2.0', 'sent'],
  ['generate', '"generationConfig":{"CandidateCount":8}', refused('generationConfig.CandidateCount')],
  ['generate', '"generationConfig":{"candidate_count":2}', 'sent'],
  // A stream where the gateway waits for a whole answer, which would then be free.
  ['chat', '"\u017ftream":true', refused('\u017ftream')],
  ['chat', '"stream":false,"Stream":true', refused('Stream')],
  ['chat', '"stream":true,"stream":false', refused('stream')],
  ['chat', '"stream":1', refused('stream')],
  ['messages', '"STREAM":true', refused('STREAM')],
  [
    'chat',
    '"stream_options":{"include_usage":true,"Include_Usage":false}',
    refused('stream_options.Include_Usage'),
  ],
  // A longer prompt than in the hold.
  ['chat', `"Messages":[{"role":"user","content":${BIG}}]`, refused('Messages')],
  ['chat', `"me\u017fsages":[{"role":"user","content":${BIG}}]`, refused('me\u017fsages')],
  ['messages', `"System":${BIG}`, refused('System')],
  ['embeddings', `"Input":${BIG}`, refused('Input')],
  ['embeddings', `"\u0130nput":${BIG}`, refused('\u0130nput')],
  ['embeddings', `"input":${BIG}`, refused('input')],
  ['generate', `"Contents":[{"parts":[{"text":${BIG}}]}]`, refused('Contents')],
  // Extras that providers bill beside tokens.
  ['chat', '"Service_Tier":"priority"', refused('Service_Tier')],
  ['messages', '"Speed":"fast"', refused('Speed')],
  [
    'messages',
    '"tools":[{"Type":"web_search_20250305","type":"custom","name":"f","input_schema":{}}]',
    refused('tools[0].Type'),
  ],
  ['generate', '"tools":[{"GoogleSearch":{}}]', refused('tools[0].GoogleSearch')],
  // Fields without a say in any of this pass unchanged.
  ['chat', '"temperature":0.50,"Temperature":1,"x":1,"x":2,"seed":12345678901234567890', 'sent'],
  ['chat', '"__proto__":{"max_tokens":0,"n":90},"constructor":{"model":"dear"}', 'sent'],
  ['chat', '"metadata":{"Model":"x","model":"y","model":"z","max_tokens":0}', 'sent'],
  [
    'chat',
    '"tools":[{"type":"function","function":{"name":"f","parameters":{"type":"object","properties":{"Model":{},"model":{},"MAX_TOKENS":{}}}}}]',
    'sent',
  ],
  [
    'messages',
    '"tools":[{"name":"f","input_schema":{"type":"object","properties":{"Model":{"type":"string"},"N":{}}}}]',
    'sent',
  ],
  [
    'generate',
    '"tools":[{"functionDeclarations":[{"name":"f","parameters":{"properties":{"Model":{},"maxOutputTokens":{}}}}]}]',
    'sent',
  ],
]

/** Bodies written as a whole. */
const WHOLE: Row[] = [
  [
    'chat',
    `{"model":"gpt-5","messages":[{"role":"user","content":"Hi","Content":${BIG}}]}`,
    refused('messages[0].Content'),
  ],
  [
    'chat',
    `{"model":"gpt-5","messages":[{"content":"x"},{"content":${BIG},"content":"Hi"}]}`,
    refused('messages[1].content'),
  ],
  [
    'messages',
    `{"model":"claude-haiku-4-5","max_tokens":9,"messages":[{"role":"user","content":[{"type":"text","text":"Hi","Text":${BIG}}]}]}`,
    refused('messages[0].content[0].Text'),
  ],
  [
    'generate',
    `{"contents":[{"parts":[{"text":"Hi","TEXT":${BIG}}]}]}`,
    refused('contents[0].parts[0].TEXT'),
  ],
  [
    'generate',
    `{"contents":[{"parts":[{"text":${BIG},"text":"Hi"}]}]}`,
    refused('contents[0].parts[0].text'),
  ],
  [
    'messages',
    '{"model":"claude-haiku-4-5","max_tokens":9,"messages":[{"role":"user","content":"Hi"},{"role":"assistant","content":[{"type":"tool_use","id":"t","name":"f","input":{"Model":"x","model":"y","Text":1,"text":2}}]},{"role":"user","content":"Hi"}]}',
    'sent',
  ],
  [
    'chat',
    '{"model":"gpt-5","messages":[{"role":"user","content":"{\\"Model\\":1,\\"max_tokens\\":0}"}]}',
    'sent',
  ],
  ['chat', `\ufeff{${REST.chat}}`, 'sent'],
]

/** All bodies. */
export const BODIES: readonly { kind: Kind; body: string; fate: Fate }[] = [
  ...ROWS.map(([kind, fields, fate]) => ({ kind, body: `{${REST[kind]},${fields}}`, fate })),
  ...WHOLE.map(([kind, body, fate]) => ({ kind, body, fate })),
]
