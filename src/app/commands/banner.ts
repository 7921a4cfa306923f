// The banner of a started gateway: its address, its files, and, on a first start, example calls.
import { withoutTrailing } from '../../utilities/text-ends.ts'
import { DEFAULT_DATA_FOLDER } from '../command-line/data-folder.ts'

interface Started extends OperatorAccess {
  version: string
  /** The gateway's address on this machine: `http://127.0.0.1:8080`. */
  listens: string
  /** The address for callers: the public one if it is set. */
  url: string
  catalogue_path: string
  /** The catalogue's version, if it is in the database instead of that file. */
  catalogue_version?: number | undefined
  data_dir: string
  models: number
  /** The command that runs the program: `tollgate`. */
  program: string
  /** Undefined once there are accounts besides the demo account. */
  demo: Demo | undefined
}

/** The operator's way to a first password: a new link, or an invitation sent earlier. */
export interface OperatorAccess {
  console?: ConsoleLink | undefined
  /** The email address of the invited operator. */
  invited?: string | undefined
}

/** A single-use link for setting a password. */
export interface ConsoleLink {
  url: string
  expires_at: string
}

export interface Demo {
  /** Its key, known only to the start that created it, because it is stored nowhere. */
  key: string | undefined
  model: string
}

/** Returns the text to print, without a trailing newline. */
export function banner(started: Started): string {
  const { version, listens, url, catalogue_path, catalogue_version, data_dir, models, program, demo } =
    started
  const data = data_dir === DEFAULT_DATA_FOLDER ? '' : ` --data ${data_dir}`
  const address = withoutTrailing(url, '/')
  const lines = [
    `Tollgate ${version} listens on ${listens}`,
    ...(address === listens ? [] : [`  public     ${address}`]),
    `  catalogue  ${catalogue_version === undefined ? catalogue_path : `version ${catalogue_version}, in the database`} (models: ${models}; reloaded when it changes)`,
    `  data       ${data_dir}`,
    ...consoleLines(started.console),
    ...(started.invited === undefined ? [] : invitedLines(started.invited, program, data)),
  ]
  if (demo?.key === undefined) return [...lines, ...(demo ? anotherKey(program, data) : [])].join('\n')
  return [
    ...lines,
    ...firstSteps(address, demo.key, demo.model),
    `  ${program} providers test${data}`,
    '',
  ].join('\n')
}

/** The URL to call; `localhost` for a server that listens on all addresses of the machine. */
export function reachableUrl(url: URL): string {
  const everywhere = url.hostname === '0.0.0.0' || url.hostname === '[::]'
  return `${url.protocol}//${everywhere ? 'localhost' : url.hostname}${url.port === '' ? '' : `:${url.port}`}`
}

const consoleLines = (link: ConsoleLink | undefined): string[] =>
  link === undefined
    ? []
    : [
        '',
        "Open the console and set the operator's password (works once, for 24 hours):",
        '',
        `  ${link.url}`,
      ]

const invitedLines = (email: string, program: string, data: string): string[] => [
  '',
  `${email} was invited as an operator, and has yet to open the link.`,
  'To print a link here, in place of that one:',
  '',
  `  ${program} console link${data}`,
  '',
]

const anotherKey = (program: string, data: string): string[] => [
  '',
  'The first start showed the key of the account "demo". To create another one:',
  '',
  `  ${program} key create demo --models 'sim-*'${data}`,
  '',
]

function firstSteps(address: string, key: string, model: string): string[] {
  return [
    '',
    'The account "demo" was created, with 10 USD for simulated models.',
    'Its key, shown only once:',
    '',
    `  ${key}`,
    '',
    'Try it:',
    '',
    `  curl ${address}/v1beta/models/${model}:generateContent \\`,
    `    -H 'x-goog-api-key: ${key}' \\`,
    "    -H 'content-type: application/json' \\",
    `    -d '{"contents":[{"role":"user","parts":[{"text":"Hello"}]}]}'`,
    '',
    'Or with @google/genai, by changing its base URL:',
    '',
    '  new GoogleGenAI({',
    `    apiKey: '${key}',`,
    `    httpOptions: { baseUrl: '${address}' },`,
    '  })',
    '',
    'For real models, add providers and their keys to the catalogue, then run:',
    '',
  ]
}
