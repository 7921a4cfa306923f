// The three official SDKs as clients of the gateway, behind one interface; each builds its requests from its own objects.

import Anthropic from '@anthropic-ai/sdk'
import { type Content, type GenerateContentResponse, GoogleGenAI, type Part } from '@google/genai'
import OpenAI from 'openai'
import type { BuiltInProtocol } from '../../src/protocols/registry.ts'

export interface Ask {
  model: string
  streams: boolean
  prompt?: string
  system?: string
  image?: { mime: string; data: string }
  tools?: boolean
  schema?: Record<string, unknown>
  thinks?: boolean
  signal?: AbortSignal
  /** Called with every piece of text. */
  onText?: (text: string) => void
  /** An answer that called tools, and the tools' results in the order of its calls. */
  after?: { reply: Reply; results: readonly string[] }
}

interface ToolCall {
  id: string
  name: string
  arguments: unknown
}

/** The answer that a caller reads, in terms common to all SDKs. */
export interface Reply {
  text: string
  thinking: string
  calls: ToolCall[]
  /** The stop reason in the SDK's own word. */
  stop: string
  /** Input tokens, those of them from the cache, and output tokens with the thinking. */
  usage: { read: number; cached: number; written: number }
  /** The SDK's own object, which its user sends back with the next turn. */
  own: unknown
}

export interface Client {
  ask(ask: Ask): Promise<Reply>
}

export const QUESTION = 'Why are there tides?'
const TOOL = {
  name: 'get_weather',
  description: 'The weather of a city.',
  schema: {
    type: 'object',
    properties: { city: { type: 'string' }, days: { type: 'integer' } },
    required: ['city'],
  },
} as const
const MAX_TOKENS = 9_000
const BUDGET_TOKENS = 2_000

type ClientMaker = (url: URL, key: string) => Client

/** Creates the SDK as its users do: with the base address and the key. */
export const createAnthropicSdk = (url: URL, apiKey: string): Anthropic =>
  new Anthropic({
    apiKey,
    baseURL: url.origin,
    maxRetries: 0,
  })

/** `@anthropic-ai/sdk`. */
const createAnthropic: ClientMaker = (url, apiKey) => {
  const sdk = createAnthropicSdk(url, apiKey)

  function messagesOf({ prompt = QUESTION, image, after }: Ask): Anthropic.MessageParam[] {
    const question: Anthropic.MessageParam = {
      role: 'user',
      content: image
        ? [
            {
              type: 'image',
              source: { type: 'base64', media_type: image.mime as 'image/png', data: image.data },
            },
            { type: 'text', text: prompt },
          ]
        : prompt,
    }
    if (!after) return [question]
    const { own, calls } = after.reply
    return [
      question,
      { role: 'assistant', content: own as Anthropic.ContentBlockParam[] },
      {
        role: 'user',
        content: calls.map(({ id }, index) => ({
          type: 'tool_result',
          tool_use_id: id,
          content: after.results[index] ?? '',
        })),
      },
    ]
  }

  const bodyOf = (ask: Ask): Anthropic.MessageCreateParamsNonStreaming => ({
    model: ask.model,
    max_tokens: MAX_TOKENS,
    messages: messagesOf(ask),
    ...(ask.system ? { system: ask.system } : {}),
    ...(ask.tools
      ? {
          tools: [
            {
              name: TOOL.name,
              description: TOOL.description,
              input_schema: { ...TOOL.schema, required: [...TOOL.schema.required] },
            },
          ],
        }
      : {}),
    ...(ask.schema ? { output_config: { format: { type: 'json_schema', schema: ask.schema } } } : {}),
    ...(ask.thinks ? { thinking: { type: 'enabled', budget_tokens: BUDGET_TOKENS } } : {}),
  })

  function replyOf({ content, stop_reason, usage }: Anthropic.Message): Reply {
    const cached = usage.cache_read_input_tokens ?? 0
    return {
      text: content.map((block) => (block.type === 'text' ? block.text : '')).join(''),
      thinking: content.map((block) => (block.type === 'thinking' ? block.thinking : '')).join(''),
      calls: content.flatMap((block) =>
        block.type === 'tool_use' ? [{ id: block.id, name: block.name, arguments: block.input }] : [],
      ),
      stop: String(stop_reason),
      usage: {
        read: usage.input_tokens + cached + (usage.cache_creation_input_tokens ?? 0),
        cached,
        written: usage.output_tokens,
      },
      own: content,
    }
  }

  return {
    async ask(ask) {
      const options = ask.signal ? { signal: ask.signal } : {}
      if (!ask.streams) return replyOf(await sdk.messages.create(bodyOf(ask), options))
      const stream = sdk.messages.stream(bodyOf(ask), options)
      stream.on('text', (text) => ask.onText?.(text))
      return replyOf(await stream.finalMessage())
    },
  }
}

/** The fields that carry the thinking of other providers; OpenAI's types do not have them. */
interface Reasoned {
  reasoning_content?: string
  reasoning_details?: { index?: number; text?: string; signature?: string }[]
}

/** `openai`. */
const createOpenai: ClientMaker = (url, apiKey) => {
  const sdk = new OpenAI({ apiKey, baseURL: `${url.origin}/v1`, maxRetries: 0 })

  function messagesOf({ prompt = QUESTION, system, image, after }: Ask) {
    const messages: OpenAI.ChatCompletionMessageParam[] = [
      ...(system ? [{ role: 'system', content: system } as const] : []),
      {
        role: 'user',
        content: image
          ? [
              { type: 'image_url', image_url: { url: `data:${image.mime};base64,${image.data}` } },
              { type: 'text', text: prompt },
            ]
          : prompt,
      },
    ]
    if (!after) return messages
    const results = after.reply.calls.map(({ id }, index) => ({
      role: 'tool' as const,
      tool_call_id: id,
      content: after.results[index] ?? '',
    }))
    return [...messages, after.reply.own as OpenAI.ChatCompletionMessageParam, ...results]
  }

  const bodyOf = (ask: Ask): OpenAI.ChatCompletionCreateParamsNonStreaming => ({
    model: ask.model,
    max_completion_tokens: MAX_TOKENS,
    messages: messagesOf(ask),
    ...(ask.tools
      ? {
          tools: [
            {
              type: 'function',
              function: {
                name: TOOL.name,
                description: TOOL.description,
                parameters: { ...TOOL.schema },
              },
            },
          ],
        }
      : {}),
    ...(ask.schema
      ? { response_format: { type: 'json_schema', json_schema: { name: 'answer', schema: ask.schema } } }
      : {}),
    ...(ask.thinks ? { reasoning_effort: 'low' } : {}),
  })

  function replyOf(
    message: OpenAI.ChatCompletionMessage & Reasoned,
    stop: string,
    usage: OpenAI.CompletionUsage | null | undefined,
  ): Reply {
    return {
      text: message.content ?? '',
      thinking: message.reasoning_content ?? '',
      calls: (message.tool_calls ?? []).flatMap((call) =>
        call.type === 'function'
          ? [{ id: call.id, name: call.function.name, arguments: JSON.parse(call.function.arguments) }]
          : [],
      ),
      stop,
      usage: {
        read: usage?.prompt_tokens ?? Number.NaN,
        cached: usage?.prompt_tokens_details?.cached_tokens ?? 0,
        written: usage?.completion_tokens ?? Number.NaN,
      },
      own: message,
    }
  }

  /** Joins pieces of thinking by their index, as documented by the providers that stream them. */
  function gather(details: Reasoned['reasoning_details'], more: Reasoned['reasoning_details']) {
    const gathered = [...(details ?? [])]
    for (const piece of more ?? []) {
      const known = gathered.findIndex(({ index }) => index === piece.index)
      if (known < 0) gathered.push({ ...piece })
      else {
        const { text = '', ...rest } = piece
        gathered[known] = { ...gathered[known], ...rest, text: `${gathered[known]?.text ?? ''}${text}` }
      }
    }
    return gathered
  }

  return {
    async ask(ask) {
      const options = ask.signal ? { signal: ask.signal } : {}
      if (!ask.streams) {
        const { choices, usage } = await sdk.chat.completions.create(bodyOf(ask), options)
        const [choice] = choices
        if (!choice) throw new Error('no choice')
        return replyOf(choice.message, choice.finish_reason, usage)
      }
      const stream = sdk.chat.completions.stream(
        { ...bodyOf(ask), stream: true, stream_options: { include_usage: true } },
        options,
      )
      const thought: Reasoned = {}
      stream.on('chunk', ({ choices }) => {
        const delta = (choices[0]?.delta ?? {}) as Reasoned
        if (delta.reasoning_content)
          thought.reasoning_content = `${thought.reasoning_content ?? ''}${delta.reasoning_content}`
        if (delta.reasoning_details)
          thought.reasoning_details = gather(thought.reasoning_details, delta.reasoning_details)
      })
      stream.on('content', (text) => ask.onText?.(text))
      const { choices } = await stream.finalChatCompletion()
      const [choice] = choices
      if (!choice) throw new Error('no choice')
      return replyOf({ ...choice.message, ...thought }, choice.finish_reason, await stream.totalUsage())
    },
  }
}

/** `@google/genai`. */
const createGoogle: ClientMaker = (url, apiKey) => {
  const sdk = new GoogleGenAI({
    apiKey,
    httpOptions: { baseUrl: url.origin, retryOptions: { attempts: 1 } },
  })

  function contentsOf({ prompt = QUESTION, image, after }: Ask): Content[] {
    const parts: Part[] = [
      ...(image ? [{ inlineData: { mimeType: image.mime, data: image.data } }] : []),
      { text: prompt },
    ]
    const question: Content = { role: 'user', parts }
    if (!after) return [question]
    const results = after.reply.calls.map(({ id, name }, index) => ({
      functionResponse: { ...(id ? { id } : {}), name, response: { output: after.results[index] } },
    }))
    return [question, after.reply.own as Content, { role: 'user', parts: results }]
  }

  const requestOf = (ask: Ask) => ({
    model: ask.model,
    contents: contentsOf(ask),
    config: {
      maxOutputTokens: MAX_TOKENS,
      ...(ask.system ? { systemInstruction: ask.system } : {}),
      ...(ask.tools
        ? {
            tools: [
              {
                functionDeclarations: [
                  {
                    name: TOOL.name,
                    description: TOOL.description,
                    parametersJsonSchema: TOOL.schema,
                  },
                ],
              },
            ],
          }
        : {}),
      ...(ask.schema ? { responseMimeType: 'application/json', responseJsonSchema: ask.schema } : {}),
      ...(ask.thinks ? { thinkingConfig: { thinkingBudget: BUDGET_TOKENS, includeThoughts: true } } : {}),
      ...(ask.signal ? { abortSignal: ask.signal } : {}),
    },
  })

  function replyOf(chunks: readonly GenerateContentResponse[]): Reply {
    const parts = chunks.flatMap((chunk) => chunk.candidates?.[0]?.content?.parts ?? [])
    const last = chunks.at(-1)
    const usage = last?.usageMetadata
    const textOf = (thought: boolean) =>
      parts.map((part) => ((part.thought ?? false) === thought ? (part.text ?? '') : '')).join('')
    return {
      text: textOf(false),
      thinking: textOf(true),
      calls: parts.flatMap(({ functionCall: call }) =>
        call ? [{ id: call.id ?? '', name: call.name ?? '', arguments: call.args }] : [],
      ),
      stop: String(last?.candidates?.[0]?.finishReason),
      usage: {
        read: usage?.promptTokenCount ?? Number.NaN,
        cached: usage?.cachedContentTokenCount ?? 0,
        written: (usage?.candidatesTokenCount ?? 0) + (usage?.thoughtsTokenCount ?? 0),
      },
      own: { role: 'model', parts },
    }
  }

  return {
    async ask(ask) {
      if (!ask.streams) return replyOf([await sdk.models.generateContent(requestOf(ask))])
      const chunks: GenerateContentResponse[] = []
      for await (const chunk of await sdk.models.generateContentStream(requestOf(ask))) {
        chunks.push(chunk)
        const texts = chunk.candidates?.[0]?.content?.parts?.flatMap(({ text, thought }) =>
          text && !thought ? [text] : [],
        )
        for (const text of texts ?? []) ask.onText?.(text)
      }
      return replyOf(chunks)
    },
  }
}

/** The SDK that speaks each protocol. */
export const CLIENTS: Readonly<Record<BuiltInProtocol, ClientMaker>> = {
  gemini: createGoogle,
  anthropic: createAnthropic,
  openai: createOpenai,
}

/** The surface that each SDK calls. */
export const SURFACES: Readonly<Record<BuiltInProtocol, string>> = {
  gemini: 'native',
  anthropic: 'messages',
  openai: 'chat',
}
