// A call as code, for the library and the language of choice.
import { type ReactNode, useState } from 'react'
import { brand } from '../../app/brand.ts'
import { Choices } from '../choices.tsx'
import { Snippet } from '../snippet.tsx'
import { SDKS, type Sdk } from './requests.ts'
import { type SampleCall, samplesOf } from './samples.ts'

interface CallSnippetProps {
  call: SampleCall
  /** Further choices, beside the library. */
  children?: ReactNode
}

export function CallSnippet({ call, children }: CallSnippetProps) {
  const [sdk, setSdk] = useState<Sdk>('OpenAI')
  return (
    <>
      <div className="row">
        <Choices
          label="SDK"
          options={SDKS.map((name) => ({ value: name, label: name }))}
          value={sdk}
          onChange={setSdk}
        />
        {children}
      </div>
      <Snippet samples={samplesOf(sdk, { ...call, key_variable: brand.key_variable })} />
    </>
  )
}
