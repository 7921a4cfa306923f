// Programs in other languages beside this file: their environment variables, and the JSON in their last line.
import type { Connection, Observation } from './feature.ts'
import { UNKNOWN_MODEL, WEATHER, WRONG_KEY } from './feature.ts'
import * as material from './material.ts'
import { runProgram } from './process.ts'
import { warmPython } from './warm.ts'

const TIMEOUT_MS = 120_000

/** Runs a program that prints its observation as JSON in its last line. */
export async function observeProgram(
  command: readonly string[],
  at: Connection,
  cwd: string,
): Promise<Observation> {
  const { stdout } = await runProgram(command, { cwd, env: environmentOf(at), timeout_ms: TIMEOUT_MS })
  return observationIn(stdout)
}

/** The same for a Python program, in an interpreter that has imported a package already. */
export async function observeWarmProgram(
  { python, package_name }: { python: string; package_name: string },
  [program = '', ...args]: readonly string[],
  at: Connection,
  cwd: string,
): Promise<Observation> {
  const warm = await warmPython(python, package_name)
  const env = { ...environmentOf(at), HOME: cwd }
  return observationIn(await warm.run({ program, arguments: args, env, cwd }, TIMEOUT_MS))
}

const observationIn = (stdout: string): Observation => JSON.parse(stdout.trim().split('\n').at(-1) ?? '')

const environmentOf = ({ url, key, model }: Connection): Record<string, string> => ({
  PYTHONDONTWRITEBYTECODE: '1',
  TOLLGATE_URL: url,
  TOLLGATE_KEY: key,
  TOLLGATE_MODEL: model,
  TOLLGATE_WRONG_KEY: WRONG_KEY,
  TOLLGATE_UNKNOWN_MODEL: UNKNOWN_MODEL,
  TOLLGATE_MATERIAL: JSON.stringify({
    prompt: material.PROMPT,
    tool_prompt: material.TOOL_PROMPT,
    schema_prompt: material.SCHEMA_PROMPT,
    image_prompt: material.IMAGE_PROMPT,
    schema: material.SCHEMA,
    tool_schema: material.TOOL.schema,
    png_base64: material.PNG_BASE64,
    weather: WEATHER,
  }),
})
