// A conversation in each form: all that the form can say, as its API documents it.

import { MessageForm } from "../../../src/gen/memorysidecar/v1/message.ts";

export interface Sample {
  readonly system: readonly string[];
  readonly messages: readonly string[];
}

const CHAT: Sample = {
  system: [
    '{"role": "developer", "content": "You plan trips."}',
    '{"role":"system","content":[{"type":"text","text":"Be brief."}]}',
  ],
  messages: [
    '{"role":"user","name":"ana","content":[{"type":"text","text":"Where is it warm?"},{"type":"image_url","image_url":{"url":"https://example.com/a.png","detail":"low"}},{"type":"image_url","image_url":{"url":"data:image/png;base64,iVBORw0KGgo="}},{"type":"file","file":{"file_id":"file-1"}},{"type":"input_audio","input_audio":{"data":"UklGRg==","format":"wav"}}]}',
    '{"role":"assistant","content":null,"tool_calls":[{"id":"call_1","type":"function","function":{"name":"weather","arguments":"{\\"month\\": 3}"}},{"id":"call_2","type":"custom","custom":{"name":"code","input":"print(1)"}}]}',
    '{"role":"tool","tool_call_id":"call_2","content":"1"}',
    '{"role":"tool","tool_call_id":"call_1","content":[{"type":"text","text":"Funchal 20"}]}',
    '{"role":"assistant","content":"In Funchal.","refusal":null,"annotations":[]}',
    '{"role":"user","content":"How do I steal a car?"}',
    '{"role":"assistant","content":null,"refusal":"I can not help with that."}',
    '{"role":"user","content":"\\u0041nd in May? \\ud83c\\udf1e"}',
  ],
};

const RESPONSES: Sample = {
  system: ['{"role":"developer","content":"You plan trips."}'],
  messages: [
    '{"type":"message","role":"user","content":[{"type":"input_text","text":"Where is it warm?"},{"type":"input_image","detail":"auto","file_id":"file-2"},{"type":"input_file","filename":"a.pdf","file_url":"https://example.com/a.pdf"}]}',
    '{"id":"rs_1","type":"reasoning","summary":[{"type":"summary_text","text":"Look it up."}],"encrypted_content":"gAAAA"}',
    '{"id":"fc_1","type":"function_call","status":"completed","call_id":"call_1","name":"weather","arguments":"{}"}',
    '{"id":"fc_2","type":"custom_tool_call","call_id":"call_2","name":"code","input":"print(1)"}',
    '{"type":"function_call_output","call_id":"call_1","output":"Funchal 20"}',
    '{"type":"custom_tool_call_output","call_id":"call_2","output":"1"}',
    '{"id":"ws_1","type":"web_search_call","status":"completed","action":{"type":"search","query":"Funchal"}}',
    '{"id":"msg_1","type":"message","role":"assistant","status":"completed","content":[{"type":"output_text","text":"In Funchal.","annotations":[{"type":"url_citation","url":"https://example.com","title":"t","start_index":0,"end_index":3}]}]}',
    '{"role":"user","content":"And in May?"}',
  ],
};

const CLAUDE: Sample = {
  system: [
    '{"role":"system","content":[{"type":"text","text":"You plan trips.","cache_control":{"type":"ephemeral"}}]}',
  ],
  messages: [
    '{"role":"user","content":[{"type":"text","text":"Where is it warm?"},{"type":"image","source":{"type":"base64","media_type":"image/png","data":"iVBORw0KGgo="}},{"type":"document","title":"a","source":{"type":"url","url":"https://example.com/a.pdf"},"cache_control":{"type":"ephemeral"}}]}',
    '{"role":"assistant","content":[{"type":"thinking","thinking":"Look it up.","signature":"EqQB"},{"type":"redacted_thinking","data":"EmwK"},{"type":"text","text":"I look."},{"type":"tool_use","id":"toolu_1","name":"weather","input":{"month": 3, "exact": 1.0}},{"type":"tool_use","id":"toolu_2","name":"weather","input":{}}]}',
    '{"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_2","content":"Malaga 19"},{"type":"tool_result","tool_use_id":"toolu_1","is_error":true,"content":[{"type":"text","text":"Timed out"},{"type":"image","source":{"type":"url","url":"https://example.com/b.png"}}]},{"type":"text","text":"Go on."}]}',
    '{"role":"assistant","content":[{"type":"text","text":"In Malaga.","citations":[]},{"type":"server_tool_use","id":"srvtoolu_1","name":"web_search","input":{"query":"x"}},{"type":"web_search_tool_result","tool_use_id":"srvtoolu_1","content":[]}]}',
    '{"role":"user","content":"And in May?"}',
  ],
};

const GOOGLE: Sample = {
  system: ['{"role":"system","parts":[{"text":"You plan trips."}]}'],
  messages: [
    '{"role":"user","parts":[{"text":"Where is it warm?"},{"inlineData":{"mimeType":"image/png","data":"iVBORw0KGgo="}},{"fileData":{"fileUri":"https://example.com/f/1","mimeType":"application/pdf"}}]}',
    '{"role":"model","parts":[{"text":"Look it up.","thought":true},{"functionCall":{"name":"weather","args":{"month":3}},"thoughtSignature":"CiQB"},{"functionCall":{"name":"weather","args":{"month":4}}},{"functionCall":{"id":"x-1","name":"time","args":{}}}]}',
    '{"role":"user","parts":[{"functionResponse":{"name":"weather","response":{"output":"Funchal 20"}}},{"functionResponse":{"name":"weather","response":{"degrees":21,"sky":["blue"]}}},{"functionResponse":{"id":"x-1","name":"time","response":{"error":"no clock"}}}]}',
    '{"role":"model","parts":[{"executableCode":{"language":"PYTHON","code":"1+1"}},{"codeExecutionResult":{"outcome":"OUTCOME_OK","output":"2"}},{"text":"In Funchal."}]}',
    '{"role":"user","parts":[{"text":"And in May?"}]}',
  ],
};

/** Conversations by form. */
export const SAMPLES: Readonly<Record<1 | 2 | 3 | 4, Sample>> = {
  [MessageForm.OPENAI_CHAT]: CHAT,
  [MessageForm.OPENAI_RESPONSES]: RESPONSES,
  [MessageForm.ANTHROPIC]: CLAUDE,
  [MessageForm.GEMINI]: GOOGLE,
};
