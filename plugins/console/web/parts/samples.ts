// Calls of the gateway as code, for the providers' own libraries.
import type { Sample } from './snippet.tsx'

export interface ChatCall {
  /** How the gateway is reached: `useBaseUrl()`. */
  base_url: string
  /** A key, or a place to put one. */
  key: string
  model: string
  message?: string
}

/** A first call by curl, and by the library of OpenAI in Python and JavaScript. */
export function chatSamples({
  base_url,
  key,
  model,
  message = 'Say hello in one word.',
}: ChatCall): Sample[] {
  const body = JSON.stringify({ model, messages: [{ role: 'user', content: message }] }, null, 2)
  const [url, secret, name, text] = [`${base_url}/v1`, key, model, message].map((word) =>
    JSON.stringify(word),
  )
  return [
    {
      language: 'curl',
      code: [
        `curl ${base_url}/v1/chat/completions \\`,
        `  -H ${inShell(`Authorization: Bearer ${key}`)} \\`,
        `  -H 'Content-Type: application/json' \\`,
        `  -d ${inShell(body)}`,
      ].join('\n'),
    },
    {
      language: 'Python',
      code: [
        '# pip install openai',
        'from openai import OpenAI',
        '',
        `client = OpenAI(base_url=${url}, api_key=${secret})`,
        'answer = client.chat.completions.create(',
        `    model=${name},`,
        `    messages=[{"role": "user", "content": ${text}}],`,
        ')',
        'print(answer.choices[0].message.content)',
      ].join('\n'),
    },
    {
      language: 'JavaScript',
      code: [
        '// npm install openai',
        "import OpenAI from 'openai'",
        '',
        `const client = new OpenAI({ baseURL: ${url}, apiKey: ${secret} })`,
        'const answer = await client.chat.completions.create({',
        `  model: ${name},`,
        `  messages: [{ role: 'user', content: ${text} }],`,
        '})',
        'console.log(answer.choices[0].message.content)',
      ].join('\n'),
    },
  ]
}

/** A word of a POSIX shell, whatever is in it. */
export const inShell = (word: string): string => `'${word.replaceAll("'", `'\\''`)}'`
