// The Python clients: a program each in python/, which serves several surfaces by an argument.
import { join } from 'node:path'
import type { BuiltInProtocol } from '../../../src/protocols/registry.ts'
import type { Client } from './client.ts'
import { FEATURES, type Feature } from './feature.ts'
import { pythonOf } from './install.ts'
import { observeProgram, observeWarmProgram } from './program.ts'

interface Package {
  /** Its name at PyPI. */
  readonly name: string
  readonly version: string
  /** Further packages to install with it. */
  readonly with?: readonly string[]
  /** Extras of it, such as `openai`. */
  readonly extras?: readonly string[]
  readonly program: string
  readonly kinds: readonly Kind[]
  readonly features?: readonly Feature[]
  /** Whether it is imported once for all its trials, since the import takes long. */
  readonly imports_long?: boolean
}

interface Kind {
  /** The program's argument. */
  readonly kind: string
  readonly protocol: BuiltInProtocol
  /** Its label in the list. */
  readonly label?: string
  /** Whether it decides by a model's name what to send, or refuses unknown names. */
  readonly wants_known_models?: boolean
}

const OPENAI: Kind = { kind: 'openai', protocol: 'openai', label: 'OpenAI' }
const RESPONSES: Kind = { kind: 'responses', protocol: 'openai', label: 'OpenAI, responses' }
const ANTHROPIC: Kind = { kind: 'anthropic', protocol: 'anthropic', label: 'Anthropic' }
const GOOGLE: Kind = { kind: 'google', protocol: 'gemini', label: 'Google' }

const PACKAGES: readonly Package[] = [
  {
    name: 'openai',
    version: '3.54.0',
    program: 'openai_sdk.py',
    kinds: [
      { kind: 'chat', protocol: 'openai', label: 'chat completions' },
      { kind: 'responses', protocol: 'openai', label: 'responses' },
      { kind: 'azure', protocol: 'openai', label: 'Azure' },
    ],
  },
  {
    name: 'anthropic',
    version: '2.12.0',
    program: 'anthropic_sdk.py',
    kinds: [{ kind: 'messages', protocol: 'anthropic' }],
  },
  {
    name: 'google-genai',
    version: '3.4.0',
    program: 'google_genai.py',
    kinds: [{ kind: 'native', protocol: 'gemini' }],
  },
  {
    name: 'litellm',
    version: '1.106.2',
    // Its calls with tools import this package, although it does not require it.
    with: ['mcp==2.3.0'],
    program: 'litellm_sdk.py',
    // It sends a schema only to models that it knows to support one.
    kinds: [OPENAI, ANTHROPIC, { ...GOOGLE, kind: 'gemini', wants_known_models: true }],
    imports_long: true,
  },
  {
    name: 'langchain',
    version: '1.4.7',
    with: ['langchain-openai==1.7.3', 'langchain-anthropic==1.7.7', 'langchain-google-genai==4.4.2'],
    program: 'langchain_sdk.py',
    kinds: [OPENAI, RESPONSES, { ...OPENAI, kind: 'azure', label: 'Azure' }, ANTHROPIC, GOOGLE],
  },
  {
    name: 'llama-index-core',
    version: '0.14.25',
    with: ['llama-index-llms-openai-like==0.8.1', 'llama-index-llms-google-genai==0.11.3'],
    program: 'llama_index_sdk.py',
    kinds: [OPENAI, GOOGLE],
  },
  {
    name: 'llama-index-llms-anthropic',
    version: '0.12.3',
    // It requires 0.75 or newer, but fails with versions from 1.0 on before it sends anything.
    with: ['llama-index-core==0.14.25', 'anthropic==0.125.0'],
    program: 'llama_index_sdk.py',
    kinds: [{ kind: 'anthropic', protocol: 'anthropic', wants_known_models: true }],
  },
  {
    name: 'pydantic-ai-slim',
    version: '2.66.0',
    extras: ['openai', 'anthropic', 'google'],
    program: 'pydantic_ai_sdk.py',
    kinds: [OPENAI, RESPONSES, ANTHROPIC, GOOGLE],
  },
  {
    name: 'instructor',
    version: '1.17.0',
    extras: ['anthropic', 'google-genai'],
    program: 'instructor_sdk.py',
    kinds: [OPENAI, ANTHROPIC, GOOGLE],
    features: ['schema', 'errors'],
  },
  { name: 'llm', version: '0.36', program: 'llm_sdk.py', kinds: [{ kind: 'chat', protocol: 'openai' }] },
]

const clientsOf = (each: Package): Client[] =>
  each.kinds.map(({ kind, protocol, label, wants_known_models = false }) => ({
    name: `python-${each.name}${each.kinds.length > 1 ? `-${kind}` : ''}`,
    title: label ? `${each.name}, ${label}` : each.name,
    group: 'Python',
    version: each.version,
    protocol,
    install: {
      by: 'pip',
      folder: `python-${each.name}`,
      packages: [
        `${each.name}${each.extras ? `[${each.extras}]` : ''}==${each.version}`,
        ...(each.with ?? []),
      ],
    },
    features: each.features ?? FEATURES,
    wants_known_models,
    show(feature, at, { installed, work }) {
      const python = pythonOf(installed)
      const program = [join(import.meta.dir, 'python', each.program), kind, feature]
      return each.imports_long
        ? observeWarmProgram({ python, package_name: each.name }, program, at, work)
        : observeProgram([python, ...program], at, work)
    },
  }))

export const PYTHON_CLIENTS: readonly Client[] = PACKAGES.flatMap(clientsOf)
