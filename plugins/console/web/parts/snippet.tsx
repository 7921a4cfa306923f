// Sample code in several languages. The browser remembers the chosen one.
import { useState } from 'react'
import { readLocal, writeLocal } from '../app/browser-storage.ts'
import { Choices } from './choices.tsx'
import { Code } from './code.tsx'
import type { Sample } from './code-samples/samples.ts'

const KEY = 'tollgate-snippet'

export function Snippet({ samples }: { samples: readonly Sample[] }) {
  const [chosen, setChosen] = useState(() => readLocal(KEY) ?? '')
  const current = samples.find(({ language }) => language === chosen) ?? samples[0]
  if (!current) return null
  return (
    <div className="snippet">
      <div>
        <Choices
          label="Language"
          options={samples.map(({ language }) => ({ value: language, label: language }))}
          value={current.language}
          onChange={(language) => {
            setChosen(language)
            writeLocal(KEY, language)
          }}
        />
      </div>
      <Code what="snippet">{current.code}</Code>
    </div>
  )
}
