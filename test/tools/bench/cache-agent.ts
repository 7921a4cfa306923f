// The turns of an agent for measurements of prompt caches, as the clients of each surface send them.

export type SurfaceName = 'native' | 'messages' | 'chat' | 'responses'

export interface Conversation {
  readonly surface: SurfaceName
  readonly model: string
  /** True if the surface has the provider's own protocol. */
  readonly is_own: boolean
  /** Distinguishes conversations. */
  readonly seed: number
}

export const TURNS = 20
const MAX_TOKENS = 64
const SYSTEM_WORDS = 2_500
const RESULT_WORDS = 250

interface PromptUsage {
  prompt: number
  cached: number
}

/** A turn's request, and the reader of its answer's usage. */
interface Turn {
  readonly path: string
  readonly body: object
  readonly headers?: Record<string, string>
  usageOf(answer: Record<string, unknown>): PromptUsage
}

const words = (count: number, seed: string): string =>
  Array.from({ length: count }, (_, n) => `${seed}${(n * 7) % 101}`).join(' ')

/** A different prompt on each surface, so that none finds the cached prompt of another. */
const systemOf = (surface: SurfaceName) => words(SYSTEM_WORDS, `rule-${surface}-`)
const question = (seed: number) => `Question ${seed}: why does the build fail?`
const TOOL = { name: 'read_file', description: 'Reads a file.' }
const PARAMETERS = { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] }
const argumentsOf = (use: number) => ({ path: `/src/part-${use}.ts` })
const idOf = (use: number) => `call_${use}`
const resultOf = (use: number) => words(RESULT_WORDS, `line${use}x`)
const uses = (turn: number) => Array.from({ length: turn }, (_, use) => use)

const numberAt = (value: unknown, ...path: string[]): number =>
  Number(path.reduce<unknown>((at, name) => (at as Record<string, unknown> | undefined)?.[name], value) ?? 0)

/** The request of a turn: the question, and one use of a tool for each earlier turn. */
export const turnOf = (conversation: Conversation, turn: number): Turn =>
  TURN_WRITERS[conversation.surface](conversation, turn)

const TURN_WRITERS: Record<SurfaceName, (conversation: Conversation, turn: number) => Turn> = {
  native: ({ surface, model, seed }, turn) => ({
    path: `/v1beta/models/${model}:generateContent`,
    body: {
      systemInstruction: { parts: [{ text: systemOf(surface) }] },
      tools: [{ functionDeclarations: [{ ...TOOL, parametersJsonSchema: PARAMETERS }] }],
      contents: [
        { role: 'user', parts: [{ text: question(seed) }] },
        ...uses(turn).flatMap((use) => [
          { role: 'model', parts: [{ functionCall: { name: TOOL.name, args: argumentsOf(use) } }] },
          {
            role: 'user',
            parts: [{ functionResponse: { name: TOOL.name, response: { output: resultOf(use) } } }],
          },
        ]),
      ],
      generationConfig: { maxOutputTokens: MAX_TOKENS },
    },
    usageOf: (answer) => ({
      prompt: numberAt(answer, 'usageMetadata', 'promptTokenCount'),
      cached: numberAt(answer, 'usageMetadata', 'cachedContentTokenCount'),
    }),
  }),
  messages: ({ surface, model, seed, is_own }, turn) => ({
    path: '/v1/messages',
    headers: { 'anthropic-version': '2023-06-01' },
    body: {
      model,
      max_tokens: MAX_TOKENS,
      system: [
        // Anthropic's own servers leave it out of the prompt, which simulated ones do not.
        ...(is_own ? [] : [{ type: 'text', text: `x-anthropic-billing-header: cc_version=2; cch=${turn};` }]),
        { type: 'text', text: systemOf(surface), cache_control: { type: 'ephemeral' } },
      ],
      tools: [{ ...TOOL, input_schema: PARAMETERS }],
      messages: withLastMarked([
        { role: 'user', content: [{ type: 'text', text: question(seed) }] },
        ...uses(turn).flatMap((use) => [
          {
            role: 'assistant',
            content: [{ type: 'tool_use', id: idOf(use), name: TOOL.name, input: argumentsOf(use) }],
          },
          {
            role: 'user',
            content: [{ type: 'tool_result', tool_use_id: idOf(use), content: resultOf(use) }],
          },
        ]),
      ]),
    },
    usageOf: ({ usage }) => {
      const cached = numberAt(usage, 'cache_read_input_tokens')
      const written = numberAt(usage, 'cache_creation_input_tokens')
      return { prompt: numberAt(usage, 'input_tokens') + cached + written, cached }
    },
  }),
  chat: ({ surface, model, seed }, turn) => ({
    path: '/v1/chat/completions',
    body: {
      model,
      max_completion_tokens: MAX_TOKENS,
      tools: [{ type: 'function', function: { ...TOOL, parameters: PARAMETERS } }],
      messages: [
        { role: 'system', content: systemOf(surface) },
        { role: 'user', content: question(seed) },
        ...uses(turn).flatMap((use) => [
          {
            role: 'assistant',
            content: null,
            tool_calls: [
              {
                id: idOf(use),
                type: 'function',
                function: { name: TOOL.name, arguments: JSON.stringify(argumentsOf(use)) },
              },
            ],
          },
          { role: 'tool', tool_call_id: idOf(use), content: resultOf(use) },
        ]),
      ],
    },
    usageOf: ({ usage }) => ({
      prompt: numberAt(usage, 'prompt_tokens'),
      cached: numberAt(usage, 'prompt_tokens_details', 'cached_tokens'),
    }),
  }),
  responses: ({ surface, model, seed }, turn) => ({
    path: '/v1/responses',
    body: {
      model,
      store: false,
      max_output_tokens: MAX_TOKENS,
      instructions: systemOf(surface),
      tools: [{ type: 'function', ...TOOL, parameters: PARAMETERS }],
      input: [
        { role: 'user', content: question(seed) },
        ...uses(turn).flatMap((use) => [
          {
            type: 'function_call',
            call_id: idOf(use),
            name: TOOL.name,
            arguments: JSON.stringify(argumentsOf(use)),
          },
          { type: 'function_call_output', call_id: idOf(use), output: resultOf(use) },
        ]),
      ],
    },
    usageOf: ({ usage }) => ({
      prompt: numberAt(usage, 'input_tokens'),
      cached: numberAt(usage, 'input_tokens_details', 'cached_tokens'),
    }),
  }),
}

interface Message {
  readonly role: string
  readonly content: readonly object[]
}

/** Marks the end of the conversation, as agents do at another place in each turn. */
const withLastMarked = (messages: readonly Message[]): Message[] =>
  messages.map((message, at) =>
    at < messages.length - 1
      ? message
      : {
          ...message,
          content: message.content.map((block) => ({ ...block, cache_control: { type: 'ephemeral' } })),
        },
  )
