// OpenAI's built-in tools that the caller runs, described as plain functions for models that do not know them.
// https://platform.openai.com/docs/guides/tools-local-shell, https://platform.openai.com/docs/guides/tools-shell,
// https://platform.openai.com/docs/guides/tools-apply-patch; fields: openai 7.55 resources/responses/responses.d.ts
import { compact, type Json, type JsonObject, objectIn, objectsIn, stringIn } from '../../wire/json.ts'

export type ClientToolType = 'local_shell' | 'shell' | 'apply_patch'

export interface ClientTool {
  readonly description: string
  readonly parameters: JsonObject
  /** The type of a call's item; the type of its output's item ends with `_output`. */
  readonly call_type: string
  /** The fields of a call's item, from the model's arguments. */
  fieldsOf(args: JsonObject): JsonObject
  /** The arguments of a call that comes back; undefined for a call that the provider ran itself. */
  argumentsOf(item: JsonObject): JsonObject | undefined
}

const text = (description: string): JsonObject => ({ type: 'string', description })
const timeout_ms: JsonObject = { type: 'integer', description: 'The longest time to run, in milliseconds.' }

/** The texts of a list. @param alone turns a single text into a list */
function textsIn(value: Json | undefined, alone: (text: string) => string[]): string[] {
  if (Array.isArray(value)) return value.filter((each) => typeof each === 'string')
  return typeof value === 'string' ? alone(value) : []
}

/** The fields of an object that are not null. */
const withoutNulls = (object: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(object).filter(([, value]) => value !== null))

export const CLIENT_TOOLS: Readonly<Record<ClientToolType, ClientTool>> = {
  local_shell: {
    description: 'Runs a command on the user’s machine, and returns its output.',
    parameters: {
      type: 'object',
      properties: {
        command: {
          type: 'array',
          items: { type: 'string' },
          description: 'The program and its arguments, such as ["bash", "-lc", "ls"].',
        },
        working_directory: text('The folder to run it in.'),
        timeout_ms,
      },
      required: ['command'],
    },
    call_type: 'local_shell_call',
    fieldsOf: ({ command, working_directory = null, timeout_ms: limit = null }) => ({
      action: {
        type: 'exec',
        command: textsIn(command, (line) => ['bash', '-lc', line]),
        env: {},
        timeout_ms: limit,
        working_directory,
      },
    }),
    argumentsOf({ action }) {
      const { command, working_directory, timeout_ms: limit } = objectIn(action)
      return withoutNulls(compact({ command: command ?? [], working_directory, timeout_ms: limit }))
    },
  },
  shell: {
    description: 'Runs shell commands, one after another, and returns what each printed and how it ended.',
    parameters: {
      type: 'object',
      properties: {
        commands: { type: 'array', items: { type: 'string' }, description: 'The commands, in order.' },
        timeout_ms,
        max_output_length: { type: 'integer', description: 'The most characters to return of each command.' },
      },
      required: ['commands'],
    },
    call_type: 'shell_call',
    fieldsOf: ({ commands, timeout_ms: limit = null, max_output_length = null }) => ({
      action: { commands: textsIn(commands, (line) => [line]), timeout_ms: limit, max_output_length },
      environment: { type: 'local' },
    }),
    argumentsOf({ action, environment }) {
      if (!isLocal(environment)) return undefined
      const { commands, timeout_ms: limit, max_output_length } = objectIn(action)
      return withoutNulls(compact({ commands: commands ?? [], timeout_ms: limit, max_output_length }))
    },
  },
  apply_patch: {
    description:
      'Creates, changes or deletes one file. A diff has a line for each line of the file, which begins with a space where it stays, with - where it goes and with + where it is new. Lines that begin with @@ stand before each changed place, and may name the function or class that it is in. The diff of a new file has + lines only.',
    parameters: {
      type: 'object',
      properties: {
        type: { type: 'string', enum: ['create_file', 'update_file', 'delete_file'] },
        path: text('The path of the file.'),
        diff: text('The diff; left out where the file is deleted.'),
      },
      required: ['type', 'path'],
    },
    call_type: 'apply_patch_call',
    fieldsOf: ({ type, path, diff }) => ({
      operation: compact({
        type: stringIn(type) ?? 'update_file',
        path: stringIn(path) ?? '',
        diff: type === 'delete_file' ? undefined : (stringIn(diff) ?? ''),
      }),
    }),
    argumentsOf: ({ operation }) => objectIn(operation),
  },
}

const isLocal = (environment: Json | undefined): boolean =>
  (environment ?? null) === null || objectIn(environment).type === 'local'

const isClientToolType = (type: Json | undefined): type is ClientToolType =>
  typeof type === 'string' && Object.hasOwn(CLIENT_TOOLS, type)

/** The type of such a tool, in a request or in a choice; undefined for others, and for a shell at the provider. */
export const clientToolType = ({ type, environment }: JsonObject): ClientToolType | undefined =>
  isClientToolType(type) && isLocal(environment) ? type : undefined

/** The tool of a call's or output's item; undefined for other items. */
export function clientToolOfItem(type: Json | undefined): ClientToolType | undefined {
  const called = stringIn(type)?.replace(/_call(?:_output)?$/, '')
  return called !== type && isClientToolType(called) ? called : undefined
}

/** The text of a call's output, and whether the call failed. */
export function clientOutput({ output, status }: JsonObject): { text: string; failed: boolean } {
  const written = typeof output === 'string' ? output : JSON.stringify(objectsIn(output))
  return {
    text: typeof output === 'string' || objectsIn(output).length > 0 ? written : (stringIn(status) ?? ''),
    failed: status === 'failed',
  }
}
