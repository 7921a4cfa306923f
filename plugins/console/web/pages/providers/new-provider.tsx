// The page for a new provider: who it is, its key, a trial, and its place in the catalogue.
import { FlaskConical } from 'lucide-react'
import { useState } from 'react'
import { useLocation } from 'wouter'
import { api, ask } from '../../app/client.ts'
import { Button } from '../../parts/button.tsx'
import { useTrial } from '../../parts/catalogue/trial.ts'
import { TrialResult } from '../../parts/catalogue/trial-result.tsx'
import type { Edit } from '../../parts/catalogue/values.ts'
import { useDeed } from '../../parts/deed.ts'
import { Field } from '../../parts/field.tsx'
import { Form, FormActions, SubmitButton } from '../../parts/form.tsx'
import { TextInput } from '../../parts/input.tsx'
import { Page } from '../../parts/page.tsx'
import { Select } from '../../parts/select.tsx'

interface Sort {
  label: string
  detail: string
  name: string
  protocol: 'openai' | 'anthropic' | 'gemini'
  base_url: string
  model: string
}

const SORTS = {
  openai: {
    label: 'OpenAI',
    detail: 'api.openai.com',
    name: 'openai',
    protocol: 'openai',
    base_url: 'https://api.openai.com/v1',
    model: 'gpt-5.4-mini',
  },
  anthropic: {
    label: 'Anthropic',
    detail: 'api.anthropic.com',
    name: 'anthropic',
    protocol: 'anthropic',
    base_url: 'https://api.anthropic.com',
    model: 'claude-haiku-4-5',
  },
  gemini: {
    label: 'Google Gemini',
    detail: 'generativelanguage.googleapis.com',
    name: 'google',
    protocol: 'gemini',
    base_url: 'https://generativelanguage.googleapis.com',
    model: 'gemini-3.5-flash-lite',
  },
  compatible: {
    label: 'A compatible server',
    detail: 'Ollama, vLLM, llama.cpp, OpenRouter and others that speak the OpenAI API',
    name: 'own-server',
    protocol: 'openai',
    base_url: 'http://127.0.0.1:11434/v1',
    model: 'qwen3:8b',
  },
  simulator: {
    label: 'Simulator',
    detail: 'Made-up answers, no network, for trying things out',
    name: 'simulated',
    protocol: 'openai',
    base_url: 'simulator',
    model: 'gpt',
  },
} as const satisfies Record<string, Sort>

type SortName = keyof typeof SORTS
const isSort = (name: string): name is SortName => Object.hasOwn(SORTS, name)

const OPTIONS = (Object.keys(SORTS) as SortName[]).map((value) => ({
  value,
  label: SORTS[value].label,
  detail: SORTS[value].detail,
}))

interface Filled {
  name: string
  base_url: string
  key: string
  model: string
}

const startOf = ({ name, base_url, model }: Sort): Filled => ({ name, base_url, key: '', model })

function editFor({ protocol }: Sort, { name, base_url, key }: Filled): Edit {
  const api_keys = key.trim() === '' ? [] : [key.trim()]
  const needs_keys = base_url !== 'simulator'
  return {
    op: 'add',
    path: ['providers'],
    value: { name, protocol, base_url, ...(needs_keys ? { api_keys } : {}) },
  }
}

export default function NewProviderPage() {
  const [sort_name, setSortName] = useState<SortName>('openai')
  const sort: Sort = SORTS[sort_name]
  const [filled, setFilled] = useState(() => startOf(sort))
  const [, go] = useLocation()
  const fill = (change: Partial<Filled>) => setFilled((before) => ({ ...before, ...change }))
  const add = useDeed({
    async work(_: undefined) {
      const { hash } = await ask(api.catalogue.get())
      return await ask(api.catalogue.save.post({ edits: [editFor(sort, filled)] as never, hash }))
    },
    changes: ['catalogue', 'providers', 'models'],
    done: () => ({ text: `${filled.name} is added` }),
  })
  const submit = async () => {
    await add.runOrThrow(undefined)
    go(`/providers/${encodeURIComponent(filled.name)}`)
  }
  return (
    <Page
      title="New provider"
      lead="Who serves models to this gateway. It goes into the catalogue file."
      width="form"
    >
      <Form submit={submit}>
        <Field label="Provider">
          <Select
            options={OPTIONS}
            value={sort_name}
            onChange={(chosen) => {
              if (!isSort(chosen)) return
              setSortName(chosen)
              setFilled({ ...startOf(SORTS[chosen]), key: filled.key })
            }}
          />
        </Field>
        <ProviderInputs sort={sort} filled={filled} fill={fill} />
        <Trial sort={sort} filled={filled} fill={fill} />
        <FormActions>
          <SubmitButton disabled={filled.name === '' || filled.base_url === ''}>Add provider</SubmitButton>
        </FormActions>
      </Form>
    </Page>
  )
}

interface Filling {
  sort: Sort
  filled: Filled
  fill: (change: Partial<Filled>) => void
}

function ProviderInputs({ sort, filled, fill }: Filling) {
  return (
    <>
      <Field label="Name" help="As routes and the log name it.">
        <TextInput code value={filled.name} onChange={(name) => fill({ name })} />
      </Field>
      {sort.base_url !== 'simulator' && (
        <>
          <Field label="Address">
            <TextInput code value={filled.base_url} onChange={(base_url) => fill({ base_url })} />
          </Field>
          <Field
            label="API key"
            help="Kept in the catalogue file and never shown again. env:NAME names an environment variable of the gateway instead. Leave it empty for a server that takes none."
          >
            <TextInput
              code
              type={filled.key.startsWith('env:') ? 'text' : 'password'}
              autoComplete="off"
              value={filled.key}
              onChange={(key) => fill({ key })}
            />
          </Field>
        </>
      )}
    </>
  )
}

/** A real request before anything is saved. */
function Trial({ sort, filled, fill }: Filling) {
  const trial = useTrial()
  const start = () =>
    trial.start({
      provider: filled.name,
      model: filled.model,
      edits: [editFor(sort, filled)] as never,
      is_new: true,
    })
  return (
    <>
      <Field
        label="Model to try"
        help="The provider's own name of a text model. It is only asked, and not added."
      >
        <TextInput code value={filled.model} onChange={(model) => fill({ model })} />
      </Field>
      <div className="stack">
        <div>
          <Button
            icon={FlaskConical}
            busy={trial.busy}
            disabled={filled.model === ''}
            onClick={() => void start()}
          >
            Try it
          </Button>
        </div>
        <TrialResult trial={trial} />
      </div>
    </>
  )
}
