// Channel types of one-api and new-api by number: the server of each, and its address.
import type { Program } from './ratios.ts'

/** The server of a channel type. */
export type ChannelType =
  | {
      readonly title: string
      readonly protocol: 'openai' | 'anthropic' | 'gemini'
      /** Its name in the table of known servers. */
      readonly server?: string
      /** The default address of channels. */
      readonly address?: string
      /** The version that the program appends to the address; addresses in the catalogue include it. */
      readonly path: string
      /** The kinds of models it serves in this protocol; by default all of the protocol. */
      readonly kinds?: readonly string[]
    }
  | { readonly title: string; readonly special: 'azure' | 'vertex' | 'cloudflare' | 'custom' }
  | { readonly title: string; readonly reason: string }

const openai = (title: string, address: string | undefined, path = '/v1', server?: string): ChannelType => ({
  title,
  protocol: 'openai',
  path,
  ...(address === undefined ? {} : { address }),
  ...(server === undefined ? {} : { server }),
})

const known = (title: string, server: string, address: string): ChannelType =>
  openai(title, address, '/v1', server)

const unsupported = (title: string): ChannelType => ({
  title,
  reason: `Tollgate does not support the API of ${title}: use an address with OpenAI's protocol for its models.`,
})

const tasks = (title: string): ChannelType => ({
  title,
  reason: `Tollgate does not serve tasks of ${title}.`,
})

const ANTHROPIC: ChannelType = {
  title: 'Anthropic',
  protocol: 'anthropic',
  server: 'anthropic',
  address: 'https://api.anthropic.com',
  path: '',
}
const GEMINI: ChannelType = {
  title: 'Gemini',
  protocol: 'gemini',
  server: 'google',
  address: 'https://generativelanguage.googleapis.com',
  path: '',
}
/** Its keys may have the form `KEY|APPLICATION` (new-api relay/channel/baidu_v2/adaptor.go). */
export const BAIDU = 'Baidu (version 2)'
const AWS: ChannelType = {
  title: 'AWS',
  reason:
    'Its access keys sign requests, which Tollgate does not do. Create a Bedrock API key, and add a provider with server = "bedrock" by hand.',
}
const OPENAI = known('OpenAI', 'openai', 'https://api.openai.com')
/** https://docs.cohere.com/docs/compatibility-api */
const COHERE: ChannelType = {
  title: 'Cohere',
  protocol: 'openai',
  address: 'https://api.cohere.ai',
  path: '/compatibility/v1',
  kinds: ['text', 'embedding'],
}
const XAI = known('xAI', 'xai', 'https://api.x.ai')
const DEEPSEEK = known('DeepSeek', 'deepseek', 'https://api.deepseek.com')
const MISTRAL = known('Mistral', 'mistral', 'https://api.mistral.ai')
const OLLAMA = known('Ollama', 'ollama', 'http://localhost:11434')
const VOLC = openai('Volcengine', 'https://ark.cn-beijing.volces.com', '/api/v3')
const SILICON = openai('SiliconFlow', 'https://api.siliconflow.cn')
const YI = openai('01.AI', 'https://api.lingyiwanwu.com')
const MINIMAX = known('MiniMax', 'minimax', 'https://api.minimax.chat')

/** Types that both programs share, up to 25: constant/channel.go of new-api, relay/channeltype/{define,url}.go of one-api. */
const COMMON: readonly (readonly [number, ChannelType])[] = [
  [1, OPENAI],
  [3, { title: 'Azure', special: 'azure' }],
  [6, openai('OpenAIMax', 'https://api.openaimax.com')],
  [7, openai('OhMyGPT', 'https://api.ohmygpt.com')],
  [8, { title: 'custom', special: 'custom' }],
  [9, openai('AILS', 'https://api.caipacity.com')],
  [10, openai('AIProxy', 'https://api.aiproxy.io')],
  [11, unsupported('PaLM')],
  [12, openai('API2GPT', 'https://api.api2gpt.com')],
  [13, openai('AIGC2D', 'https://api.aigc2d.com')],
  [14, ANTHROPIC],
  [15, unsupported('Baidu')],
  [16, unsupported('Zhipu (version 3)')],
  [17, openai('Alibaba', 'https://dashscope.aliyuncs.com', '/compatible-mode/v1')],
  [18, unsupported('Xunfei')],
  [19, openai('360', 'https://api.360.cn')],
  [20, known('OpenRouter', 'openrouter', 'https://openrouter.ai/api')],
  [21, unsupported('AIProxy Library')],
  [22, openai('FastGPT', 'https://fastgpt.run/api/openapi')],
  [23, unsupported('Tencent')],
  [24, GEMINI],
  [25, known('Moonshot', 'moonshot', 'https://api.moonshot.cn')],
]

const NEW_API: readonly (readonly [number, ChannelType])[] = [
  [2, tasks('Midjourney')],
  [4, OLLAMA],
  [5, tasks('Midjourney')],
  [26, openai('Zhipu', 'https://open.bigmodel.cn', '/api/paas/v4')],
  [27, openai('Perplexity', 'https://api.perplexity.ai', '')],
  [31, YI],
  [33, AWS],
  [34, COHERE],
  [35, MINIMAX],
  [36, tasks('Suno')],
  [37, unsupported('Dify')],
  [38, { ...openai('Jina', 'https://api.jina.ai'), kinds: ['embedding', 'rerank'] }],
  [39, { title: 'Cloudflare', special: 'cloudflare' }],
  [40, SILICON],
  [41, { title: 'Vertex AI', special: 'vertex' }],
  [42, MISTRAL],
  [43, DEEPSEEK],
  [44, unsupported('MokaAI')],
  [45, VOLC],
  [46, openai(BAIDU, 'https://qianfan.baidubce.com', '/v2')],
  [47, openai('Xinference', undefined)],
  [48, XAI],
  [49, unsupported('Coze')],
  [50, tasks('Kling')],
  [51, tasks('Jimeng')],
  [52, tasks('Vidu')],
  [53, openai('Submodel', 'https://llm.submodel.ai')],
  [54, tasks('Doubao video')],
  [55, tasks('Sora')],
  [56, unsupported('Replicate')],
  [57, unsupported('Codex')],
]

const ONE_API: readonly (readonly [number, ChannelType])[] = [
  [2, openai('API2D', 'https://oa.api2d.net')],
  [4, openai('CloseAI', 'https://api.closeai-proxy.xyz')],
  [5, openai('OpenAI-SB', 'https://api.openai-sb.com')],
  [26, openai('Baichuan', 'https://api.baichuan-ai.com')],
  [27, MINIMAX],
  [28, MISTRAL],
  [29, known('Groq', 'groq', 'https://api.groq.com/openai')],
  [30, OLLAMA],
  [31, YI],
  [32, openai('StepFun', 'https://api.stepfun.com')],
  [33, AWS],
  [34, unsupported('Coze')],
  [35, COHERE],
  [36, DEEPSEEK],
  [37, { title: 'Cloudflare', special: 'cloudflare' }],
  [38, unsupported('DeepL')],
  [39, known('Together AI', 'together', 'https://api.together.xyz')],
  [40, VOLC],
  [41, openai('Novita', 'https://api.novita.ai/v3/openai', '')],
  [42, { title: 'Vertex AI', special: 'vertex' }],
  [43, unsupported('a proxy')],
  [44, SILICON],
  [45, XAI],
  [46, unsupported('Replicate')],
  [47, openai(BAIDU, 'https://qianfan.baidubce.com', '/v2')],
  [48, openai('Xunfei (version 2)', 'https://spark-api-open.xf-yun.com')],
  [49, openai('Alibaba', 'https://dashscope.aliyuncs.com', '/compatible-mode/v1')],
  // Its address includes the version already (relay/adaptor/openai/helper.go).
  [50, openai('OpenAI compatible', undefined, '')],
  [
    51,
    openai('Gemini (compatible with OpenAI)', 'https://generativelanguage.googleapis.com/v1beta/openai', ''),
  ],
]

const TYPES: Readonly<Record<Program, ReadonlyMap<number, ChannelType>>> = {
  'new-api': new Map([...COMMON, ...NEW_API]),
  'one-api': new Map([...COMMON, ...ONE_API]),
}

export const channelTypeOf = (program: Program, number: number): ChannelType =>
  TYPES[program].get(number) ?? {
    title: `type ${number}`,
    reason: `Channel type ${number} is unknown. Add a provider by hand.`,
  }
