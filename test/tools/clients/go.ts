// The Go clients: a program each in go/, compiled where its module is installed.
import { join } from 'node:path'
import type { BuiltInProtocol } from '../../../src/protocols/registry.ts'
import type { Client } from './client.ts'
import { FEATURES } from './feature.ts'
import { observeProgram } from './program.ts'

const goClient = (
  folder: string,
  [title, module, version]: readonly [string, string, string],
  protocol: BuiltInProtocol,
  kind?: string,
): Client => ({
  name: kind ? `${folder}-${kind}` : folder,
  title,
  group: 'Go',
  version,
  protocol,
  install: { by: 'go', folder, packages: [`${module}@v${version}`] },
  features: FEATURES,
  show: (feature, at, { installed, work }) =>
    observeProgram([join(installed, 'client'), kind ?? 'default', feature], at, work),
})

const OPENAI = ['github.com/openai/openai-go/v3', '3.96.0'] as const
const ANTHROPIC = ['github.com/anthropics/anthropic-sdk-go', '1.84.0'] as const
const GENAI = ['google.golang.org/genai', '1.77.0'] as const

export const GO_CLIENTS: readonly Client[] = [
  goClient('go-openai', ['openai-go, chat completions', ...OPENAI], 'openai', 'chat'),
  goClient('go-openai', ['openai-go, responses', ...OPENAI], 'openai', 'responses'),
  goClient('go-anthropic', ['anthropic-sdk-go', ...ANTHROPIC], 'anthropic'),
  goClient('go-genai', ['google.golang.org/genai', ...GENAI], 'gemini'),
]
