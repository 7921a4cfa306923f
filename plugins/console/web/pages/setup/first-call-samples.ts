// The first call as code, for the SDK of choice.
import { type ChatCall, chatSamples, inShell } from '../../parts/samples.ts'
import type { Sample } from '../../parts/snippet.tsx'

export const SDKS = [
  { value: 'openai', label: 'OpenAI' },
  { value: 'anthropic', label: 'Anthropic' },
  { value: 'google', label: 'Google' },
] as const
export type Sdk = (typeof SDKS)[number]['value']

export type FirstCall = Required<ChatCall>

/** The same call by curl, in Python and in JavaScript. */
export const samplesFor = (sdk: Sdk, call: FirstCall): Sample[] => SAMPLES[sdk](call)

const SAMPLES: Readonly<Record<Sdk, (call: FirstCall) => Sample[]>> = {
  openai: chatSamples,
  anthropic: ({ base_url, key, model, message }) => {
    const [url, secret, name, text] = [base_url, key, model, message].map((word) => JSON.stringify(word))
    const body = { model, max_tokens: 500, messages: [{ role: 'user', content: message }] }
    return [
      curl(`${base_url}/v1/messages`, [`x-api-key: ${key}`, 'anthropic-version: 2023-06-01'], body),
      python('anthropic', [
        'from anthropic import Anthropic',
        '',
        `client = Anthropic(base_url=${url}, api_key=${secret})`,
        'answer = client.messages.create(',
        `    model=${name},`,
        '    max_tokens=500,',
        `    messages=[{"role": "user", "content": ${text}}],`,
        ')',
        'print(answer.content[-1].text)',
      ]),
      javascript('@anthropic-ai/sdk', [
        "import Anthropic from '@anthropic-ai/sdk'",
        '',
        `const client = new Anthropic({ baseURL: ${url}, apiKey: ${secret} })`,
        'const answer = await client.messages.create({',
        `  model: ${name},`,
        '  max_tokens: 500,',
        `  messages: [{ role: 'user', content: ${text} }],`,
        '})',
        'console.log(answer.content.at(-1).text)',
      ]),
    ]
  },
  google: ({ base_url, key, model, message }) => {
    const [url, secret, name, text] = [base_url, key, model, message].map((word) => JSON.stringify(word))
    const body = { contents: [{ role: 'user', parts: [{ text: message }] }] }
    return [
      curl(`${base_url}/v1beta/models/${model}:generateContent`, [`x-goog-api-key: ${key}`], body),
      python('google-genai', [
        'from google import genai',
        '',
        `client = genai.Client(api_key=${secret}, http_options={"base_url": ${url}})`,
        `answer = client.models.generate_content(model=${name}, contents=${text})`,
        'print(answer.text)',
      ]),
      javascript('@google/genai', [
        "import { GoogleGenAI } from '@google/genai'",
        '',
        `const client = new GoogleGenAI({ apiKey: ${secret}, httpOptions: { baseUrl: ${url} } })`,
        `const answer = await client.models.generateContent({ model: ${name}, contents: ${text} })`,
        'console.log(answer.text)',
      ]),
    ]
  },
}

const python = (library: string, lines: readonly string[]): Sample => ({
  language: 'Python',
  code: [`# pip install ${library}`, ...lines].join('\n'),
})

const javascript = (library: string, lines: readonly string[]): Sample => ({
  language: 'JavaScript',
  code: [`// npm install ${library}`, ...lines].join('\n'),
})

const curl = (address: string, headers: readonly string[], body: unknown): Sample => ({
  language: 'curl',
  code: [
    `curl ${address} \\`,
    ...[...headers, 'content-type: application/json'].map((header) => `  -H ${inShell(header)} \\`),
    `  -d ${inShell(JSON.stringify(body, null, 2))}`,
  ].join('\n'),
})
