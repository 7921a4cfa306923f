// Three readers of request bodies, such as servers of the three protocols have: Go's own encoding/json into structs, and two very
// lenient ones, which take the first or the last of several fields whose names they treat as one.
//
// In: a line a body, {"kind": …, "body": base64}. Out: a line a body, the three readings.
package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"strconv"
	"strings"
)

type question struct {
	Kind string `json:"kind"`
	Body []byte `json:"body"`
}

// The values that a reader takes from a body. A pointer is null if the body has no value.
type reading struct {
	Refused    bool   `json:"refused,omitempty"`
	Model      string `json:"model,omitempty"`
	Stream     bool   `json:"stream,omitempty"`
	Limit      *int   `json:"limit"`
	Candidates *int   `json:"candidates"`
	Text       string `json:"text,omitempty"`
}

type part struct {
	Text string `json:"text"`
}

// Content is one text, or a list of parts.
type content string

func (c *content) UnmarshalJSON(data []byte) error {
	var text string
	if json.Unmarshal(data, &text) == nil {
		*c = content(text)
		return nil
	}
	var parts []part
	err := json.Unmarshal(data, &parts)
	for _, one := range parts {
		*c += content(one.Text)
	}
	return err
}

type chat struct {
	Model               string `json:"model"`
	Stream              bool   `json:"stream"`
	MaxTokens           *int   `json:"max_tokens"`
	MaxCompletionTokens *int   `json:"max_completion_tokens"`
	N                   *int   `json:"n"`
	Messages            []struct {
		Content content `json:"content"`
	} `json:"messages"`
}

type generate struct {
	Model            string `json:"model"`
	GenerationConfig *struct {
		MaxOutputTokens *int `json:"maxOutputTokens"`
		CandidateCount  *int `json:"candidateCount"`
	} `json:"generationConfig"`
	Contents []struct {
		Parts []part `json:"parts"`
	} `json:"contents"`
}

type embeddings struct {
	Model string `json:"model"`
	Input string `json:"input"`
}

func larger(one, other *int) *int {
	if one == nil || (other != nil && *other > *one) {
		return other
	}
	return one
}

func readStruct(kind string, body []byte) (read reading) {
	var err error
	switch kind {
	case "chat", "messages":
		var request chat
		err = json.Unmarshal(body, &request)
		read = reading{Model: request.Model, Stream: request.Stream, Candidates: request.N}
		read.Limit = larger(request.MaxTokens, request.MaxCompletionTokens)
		for _, message := range request.Messages {
			read.Text += string(message.Content)
		}
	case "generate":
		var request generate
		err = json.Unmarshal(body, &request)
		read.Model = request.Model
		if config := request.GenerationConfig; config != nil {
			read.Limit, read.Candidates = config.MaxOutputTokens, config.CandidateCount
		}
		for _, content := range request.Contents {
			for _, part := range content.Parts {
				read.Text += part.Text
			}
		}
	case "embeddings":
		var request embeddings
		err = json.Unmarshal(body, &request)
		read = reading{Model: request.Model, Text: request.Input}
	}
	if err != nil {
		return reading{Refused: true}
	}
	return read
}

// A value with all names of its objects, in order.
type field struct {
	name  string
	value any
}
type object []field

func parse(decoder *json.Decoder) any {
	token, err := decoder.Token()
	if err != nil {
		panic(err)
	}
	delim, is_delim := token.(json.Delim)
	if !is_delim {
		return token
	}
	if delim == '[' {
		list := []any{}
		for decoder.More() {
			list = append(list, parse(decoder))
		}
		decoder.Token()
		return list
	}
	read := object{}
	for decoder.More() {
		name, err := decoder.Token()
		if err != nil {
			panic(err)
		}
		read = append(read, field{name.(string), parse(decoder)})
	}
	decoder.Token()
	return read
}

// A lenient reader. Take chooses among the values of all names that the reader treats as one.
type lenient struct{ take func([]any) any }

func fold(name string) string {
	name, _, _ = strings.Cut(name, "\x00")
	return strings.NewReplacer("_", "", "-", "", " ", "", "\u212a", "k", "\u017f", "s").Replace(strings.ToLower(name))
}

func (r lenient) get(from any, names ...string) any {
	fields, _ := from.(object)
	found := []any{}
	for _, field := range fields {
		for _, name := range names {
			if fold(field.name) == fold(name) && field.value != nil {
				found = append(found, field.value)
			}
		}
	}
	if len(found) == 0 {
		return nil
	}
	return r.take(found)
}

// As C's atoi: up to the first character that is not a digit.
func count(value any) *int {
	number, is_number := value.(json.Number)
	if !is_number {
		return nil
	}
	text := string(number)
	if end := strings.IndexAny(text, ".eE"); end >= 0 {
		text = text[:end]
	}
	read, _ := strconv.Atoi(text)
	return &read
}

func (r lenient) text(from any) string {
	if text, is_text := from.(string); is_text {
		return text
	}
	list, _ := from.([]any)
	all := ""
	for _, one := range list {
		text, _ := r.get(one, "text").(string)
		all += text
	}
	return all
}

func (r lenient) read(kind string, body []byte) reading {
	decoder := json.NewDecoder(bytes.NewReader(body))
	decoder.UseNumber()
	root := parse(decoder)
	read := reading{}
	read.Model, _ = r.get(root, "model").(string)
	config, conversation, inside := root, "messages", "content"
	if kind == "generate" {
		config, conversation, inside = r.get(root, "generationConfig"), "contents", "parts"
		read.Limit = count(r.get(config, "maxOutputTokens"))
		read.Candidates = count(r.get(config, "candidateCount"))
	} else if kind != "embeddings" {
		read.Stream, _ = r.get(root, "stream").(bool)
		// Names that servers such as llama.cpp's read in place of the protocol's own.
		read.Limit = larger(count(r.get(root, "max_tokens", "n_predict")), count(r.get(root, "max_completion_tokens")))
		read.Candidates = count(r.get(root, "n", "n_cmpl"))
	} else {
		read.Text = r.text(r.get(root, "input"))
	}
	list, _ := r.get(root, conversation).([]any)
	for _, one := range list {
		read.Text += r.text(r.get(one, inside))
	}
	return read
}

func safely(read func() reading) (result reading) {
	defer func() {
		if recover() != nil {
			result = reading{Refused: true}
		}
	}()
	return read()
}

func main() {
	first := lenient{func(found []any) any { return found[0] }}
	last := lenient{func(found []any) any { return found[len(found)-1] }}
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 1<<26)
	out := bufio.NewWriter(os.Stdout)
	defer out.Flush()
	for lines.Scan() {
		var request question
		if err := json.Unmarshal(lines.Bytes(), &request); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		line, _ := json.Marshal(map[string]reading{
			"go":    readStruct(request.Kind, request.Body),
			"first": safely(func() reading { return first.read(request.Kind, request.Body) }),
			"last":  safely(func() reading { return last.read(request.Kind, request.Body) }),
		})
		out.Write(append(line, '\n'))
	}
}
