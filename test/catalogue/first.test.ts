// The first catalogue: it works unchanged, and with its commented-out settings switched on.
import { describe, expect, test } from 'bun:test'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { ensureCatalogue, FIRST_CATALOGUE } from '../../src/catalogue/first.ts'
import { folderOfFile } from '../support/test-folder.ts'
import { catalogueOf } from './catalogues.ts'

describe('the first catalogue', () => {
  test('has no mistakes, needs no environment, and offers only the simulated providers', () => {
    const { providers, models } = catalogueOf(FIRST_CATALOGUE)
    expect([...providers.values()].map(({ name, base_url }) => [name, base_url])).toEqual([
      ['simulator', 'simulator'],
      ['simulator-anthropic', 'simulator'],
      ['simulator-openai', 'simulator'],
    ])
    expect([...models.values()].map(({ id, routes }) => [id, routes[0].provider, routes[0].model])).toEqual([
      ['sim-flash', 'simulator', 'flash'],
      ['sim-pro', 'simulator', 'pro'],
      ['sim-claude', 'simulator-anthropic', 'claude'],
      ['sim-gpt', 'simulator-openai', 'gpt'],
      ['sim-embedding', 'simulator-openai', 'embedding'],
      ['sim-speech', 'simulator-openai', 'tts'],
      ['sim-whisper', 'simulator-openai', 'whisper'],
      ['sim-transcribe', 'simulator-openai', 'transcribe'],
      ['sim-moderation', 'simulator-openai', 'moderation'],
      ['sim-rerank', 'simulator-openai', 'rerank'],
      ['sim-image', 'simulator', 'image'],
      ['sim-gpt-image', 'simulator-openai', 'gpt-image-2.6-flare'],
    ])
  })

  test('has a model with two tiers: sim-pro', () => {
    const price = catalogueOf(FIRST_CATALOGUE).models.get('sim-pro')?.price
    expect(price?.unit === 'token' && price.tiers.map(({ above_tokens }) => above_tokens)).toEqual([
      0, 200_000,
    ])
  })

  test('has no mistakes with every commented setting switched on', () => {
    const everything = FIRST_CATALOGUE.replace(/^#(?! |$)/gm, '')
    const { providers, models, limits } = catalogueOf(everything, {
      GEMINI_API_KEY: 'one',
      GEMINI_API_KEY_2: 'two',
      ANTHROPIC_API_KEY: 'three',
      OPENAI_API_KEY: 'four',
      AZURE_API_KEY: 'five',
      AWS_BEARER_TOKEN_BEDROCK: 'six',
    })
    expect([...providers.keys()]).toEqual([
      'simulator',
      'simulator-anthropic',
      'simulator-openai',
      'google',
      'anthropic',
      'openai',
      'azure',
      'bedrock',
      'ollama',
    ])
    expect(providers.get('google')?.api_keys).toEqual(['one', 'two'])
    expect([...models.keys()]).toContain('gpt-6.1-terra')
    expect(models.get('house-model')?.routes).toHaveLength(2)
    expect(limits.accounts?.alice).toEqual({ concurrent_calls: 200 })
  })

  test('is readable in a terminal', () => {
    const longest = Math.max(...FIRST_CATALOGUE.split('\n').map((line) => line.length))
    expect(longest).toBeLessThanOrEqual(110)
  })
})

describe('ensureCatalogue', () => {
  const folder = folderOfFile()

  test('writes the first catalogue where there is no file, with the folders above it', async () => {
    const path = folder.at('new', 'data', 'tollgate.toml')
    expect(await ensureCatalogue(path)).toBe(true)
    expect(await readFile(path, 'utf8')).toBe(FIRST_CATALOGUE)
  })

  test('never overwrites, not even an empty file', async () => {
    const path = folder.at('mine.toml')
    await writeFile(path, '')
    expect(await ensureCatalogue(path)).toBe(false)
    expect(await readFile(path, 'utf8')).toBe('')
  })

  test('one of two starts at once writes it', async () => {
    const path = folder.at('two.toml')
    expect((await Promise.all([ensureCatalogue(path), ensureCatalogue(path)])).sort()).toEqual([false, true])
    expect(await readFile(path, 'utf8')).toBe(FIRST_CATALOGUE)
  })

  test('throws the file system’s error if it cannot write', async () => {
    await writeFile(join(folder.path, 'file'), '')
    await expect(ensureCatalogue(folder.at('file', 'tollgate.toml'))).rejects.toThrow()
  })
})
