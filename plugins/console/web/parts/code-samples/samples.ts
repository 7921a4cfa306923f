// Sample code of calls: curl, Python and JavaScript, with the SDK of each of three providers.
import {
  type ApiRequest,
  type Conversation,
  codeLiteral,
  FIELDS,
  type Fields,
  requestOf,
  type Sdk,
} from './requests.ts'

export interface Sample {
  language: string
  code: string
}

export interface SampleCall extends Omit<Conversation, 'messages'> {
  /** How callers reach the gateway, without a slash at the end: `useBaseUrl()`. */
  base_url: string
  /** A key or a placeholder; without it, the code reads an environment variable. */
  key?: string
  /** The environment variable; TOLLGATE_KEY if absent. */
  key_variable?: string
  messages?: Conversation['messages']
}

const KEY_VARIABLE = 'TOLLGATE_KEY'

const GREETING: Conversation['messages'] = [{ role: 'user', content: 'Say hello in one word.' }]

export function samplesOf(
  sdk: Sdk,
  { base_url: url, key, key_variable = KEY_VARIABLE, messages = GREETING, ...call }: SampleCall,
): Sample[] {
  const conversation = { ...call, messages }
  const fields = FIELDS[sdk](conversation)
  const [python_key, javascript_key] =
    key === undefined
      ? [`os.environ["${key_variable}"]`, `process.env.${key_variable}`]
      : [JSON.stringify(key), `'${key}'`]
  const python = PYTHON[sdk]({ url, key: python_key, fields: argumentsOf(inPython(sdk, fields), 'python') })
  return [
    { language: 'curl', code: curl(url, requestOf(sdk, conversation), { key, key_variable }) },
    { language: 'Python', code: key === undefined ? python.replace('\n', '\nimport os\n') : python },
    {
      language: 'JavaScript',
      code: JAVASCRIPT[sdk]({ url, key: javascript_key, fields: `{\n${argumentsOf(fields, 'javascript')}}` }),
    },
  ]
}

/** Anthropic's Python SDK has no arguments `temperature` and `top_p`, but sends `extra_body` unchanged. */
function inPython(sdk: Sdk, fields: Fields): Fields {
  const { temperature, top_p, ...others } = fields
  if (sdk !== 'Anthropic' || (temperature ?? top_p) === undefined) return fields
  return { ...others, extra_body: { temperature, top_p } }
}

const argumentsOf = (fields: Fields, as: 'python' | 'javascript'): string =>
  Object.entries(fields)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) =>
      as === 'python'
        ? `    ${name}=${codeLiteral(value, as, 4)},\n`
        : `  ${name}: ${codeLiteral(value, as, 2)},\n`,
    )
    .join('')

/** Writes a request as a curl command, with the key as in `SampleCall`. */
export function curl(
  url: string,
  { path, key_header, version_header, body }: ApiRequest,
  { key, key_variable = KEY_VARIABLE }: { key?: string | undefined; key_variable?: string } = {},
): string {
  const header = key_header ?? 'Authorization: Bearer '
  return [
    `curl ${shellQuote(url + path)}`,
    // In double quotes, so that the shell inserts the key.
    `-H ${key === undefined ? `"${header}$${key_variable}"` : shellQuote(header + key)}`,
    ...(version_header === undefined ? [] : [`-H ${shellQuote(version_header)}`]),
    "-H 'Content-Type: application/json'",
    `-d ${shellQuote(codeLiteral(body, 'json', 2))}`,
  ].join(' \\\n  ')
}

/** Quotes a word for a POSIX shell. */
export const shellQuote = (word: string): string => `'${word.replaceAll("'", `'\\''`)}'`

interface SampleParts {
  url: string
  /** An expression in the language. */
  key: string
  fields: string
}

type Writers = Readonly<Record<Sdk, (call: SampleParts) => string>>

const PYTHON: Writers = {
  OpenAI: ({ url, key, fields }) => `# pip install openai
from openai import OpenAI

client = OpenAI(
    api_key=${key},
    base_url="${url}/v1",
)
answer = client.chat.completions.create(
${fields})
print(answer.choices[0].message.content)`,
  Anthropic: ({ url, key, fields }) => `# pip install anthropic
from anthropic import Anthropic

client = Anthropic(
    api_key=${key},
    base_url="${url}",
)
answer = client.messages.create(
${fields})
print(answer.content[-1].text)`,
  Google: ({ url, key, fields }) => `# pip install google-genai
from google import genai

client = genai.Client(
    api_key=${key},
    http_options={"base_url": "${url}"},
)
answer = client.models.generate_content(
${fields})
print(answer.text)`,
}

const JAVASCRIPT: Writers = {
  OpenAI: ({ url, key, fields }) => `// npm install openai
import OpenAI from 'openai'

const client = new OpenAI({
  apiKey: ${key},
  baseURL: '${url}/v1',
})
const answer = await client.chat.completions.create(${fields})
console.log(answer.choices[0].message.content)`,
  Anthropic: ({ url, key, fields }) => `// npm install @anthropic-ai/sdk
import Anthropic from '@anthropic-ai/sdk'

const client = new Anthropic({
  apiKey: ${key},
  baseURL: '${url}',
})
const answer = await client.messages.create(${fields})
console.log(answer.content.at(-1).text)`,
  Google: ({ url, key, fields }) => `// npm install @google/genai
import { GoogleGenAI } from '@google/genai'

const client = new GoogleGenAI({
  apiKey: ${key},
  httpOptions: { baseUrl: '${url}' },
})
const answer = await client.models.generateContent(${fields})
console.log(answer.text)`,
}
