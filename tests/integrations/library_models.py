"""Models of other libraries with random weights, small. Each gives the model, and what computes its loss.

Batches are drawn anew for each loss. A library is imported in the function that needs it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch.nn import functional as F

from tests.integrations.torchvision_beside import make_importable

make_importable()  # before the first library that looks whether it is there
#: A model, and what computes the loss of the next batch.
Made = tuple[Any, Callable[[], Any]]
WORDS, LENGTH = 50, 12
#: Sizes that transformers' configurations share.
SIZES: dict[str, Any] = {
    "vocab_size": WORDS, "hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 2,
    "intermediate_size": 48,
}  # fmt: skip


def ids(length: int = LENGTH) -> Any:
    return torch.randint(3, WORDS, (2, length))


def of_words(kind: str, configuration: str, **settings: Any) -> Made:
    """A model of transformers that reads tokens and predicts them."""
    import transformers

    config = getattr(transformers, configuration)(**settings)
    model = getattr(transformers, kind)(config).train()

    def loss() -> Any:
        tokens = ids()
        return model(input_ids=tokens, labels=tokens).loss

    return model, loss


def gpt2() -> Made:
    return of_words(
        "GPT2LMHeadModel", "GPT2Config", vocab_size=WORDS, n_layer=2, n_embd=32, n_head=2, n_positions=16,
        bos_token_id=0, eos_token_id=0,
    )  # fmt: skip


def gpt2_checkpointed() -> Made:
    model, loss = gpt2()
    model.gradient_checkpointing_enable({"use_reentrant": False})
    return model, loss


def gpt2_in_bfloat16() -> Made:
    model, loss = gpt2()

    def cast() -> Any:
        with torch.autocast("cpu", torch.bfloat16):
            return loss()

    return model, cast


def gpt2_with_adapters() -> Made:
    import peft

    model, _ = gpt2()
    config = peft.LoraConfig(r=4, target_modules=["c_attn"], lora_dropout=0.1, fan_in_fan_out=True)
    adapted = peft.get_peft_model(model, config)

    def loss() -> Any:
        tokens = ids()
        return adapted(input_ids=tokens, labels=tokens).loss

    return adapted, loss


def llama() -> Made:
    return of_words("LlamaForCausalLM", "LlamaConfig", **SIZES, num_key_value_heads=1)


def mixtral() -> Made:
    return of_words(
        "MixtralForCausalLM", "MixtralConfig", **SIZES, num_key_value_heads=1, num_local_experts=3,
        num_experts_per_tok=2, output_router_logits=True,
    )  # fmt: skip


def mamba() -> Made:
    return of_words(
        "MambaForCausalLM", "MambaConfig", vocab_size=WORDS, hidden_size=16, num_hidden_layers=1,
        state_size=4,
    )  # fmt: skip


def bert() -> Made:
    return of_words("BertForMaskedLM", "BertConfig", **SIZES, max_position_embeddings=16)


def t5() -> Made:
    return of_words(
        "T5ForConditionalGeneration", "T5Config", vocab_size=WORDS, d_model=32, d_kv=16, d_ff=48,
        num_layers=2, num_heads=2, decoder_start_token_id=0,
    )  # fmt: skip


def bart() -> Made:
    return of_words(
        "BartForConditionalGeneration", "BartConfig", vocab_size=WORDS, d_model=32, encoder_layers=1,
        decoder_layers=1, encoder_attention_heads=2, decoder_attention_heads=2, encoder_ffn_dim=48,
        decoder_ffn_dim=48, max_position_embeddings=16,
    )  # fmt: skip


def vit() -> Made:
    import transformers

    config = transformers.ViTConfig(
        hidden_size=32, num_hidden_layers=2, num_attention_heads=2, intermediate_size=48, image_size=16,
        patch_size=8, num_labels=5,
    )  # fmt: skip
    model = transformers.ViTForImageClassification(config).train()
    return (
        model,
        lambda: model(pixel_values=torch.randn(2, 3, 16, 16), labels=torch.randint(5, (2,))).loss,
    )


def whisper() -> Made:
    import transformers

    config = transformers.WhisperConfig(
        vocab_size=WORDS, d_model=32, encoder_layers=1, decoder_layers=1, encoder_attention_heads=2,
        decoder_attention_heads=2, encoder_ffn_dim=48, decoder_ffn_dim=48, num_mel_bins=8,
        max_source_positions=20, max_target_positions=16, pad_token_id=0, bos_token_id=1, eos_token_id=2,
        decoder_start_token_id=1,
    )  # fmt: skip
    model = transformers.WhisperForConditionalGeneration(config).train()
    return model, lambda: model(input_features=torch.randn(2, 8, 40), labels=ids()).loss


def clip() -> Made:
    import transformers

    text = {**SIZES, "max_position_embeddings": 16, "eos_token_id": 2}
    seen = {k: v for k, v in SIZES.items() if k != "vocab_size"} | {
        "image_size": 16,
        "patch_size": 8,
    }
    config = transformers.CLIPConfig(text_config=text, vision_config=seen, projection_dim=16)
    model = transformers.CLIPModel(config).train()

    def loss() -> Any:
        images = torch.randn(2, 3, 16, 16)
        return model(input_ids=ids(), pixel_values=images, return_loss=True).loss

    return model, loss


def wav2vec2() -> Made:
    import transformers

    config = transformers.Wav2Vec2Config(
        **SIZES, conv_dim=(16, 16), conv_stride=(5, 2), conv_kernel=(10, 3), num_feat_extract_layers=2,
        num_conv_pos_embeddings=4, num_conv_pos_embedding_groups=2, mask_time_prob=0.0, layerdrop=0.0,
        pad_token_id=0,
    )  # fmt: skip
    model = transformers.Wav2Vec2ForCTC(config).train()
    return (
        model,
        lambda: (
            model(input_values=torch.randn(2, 400), labels=torch.randint(3, WORDS, (2, 3))).loss
        ),
    )


def of_images(name: str, size: int = 32, **settings: Any) -> Made:
    """A classifier of timm."""
    import timm

    model = timm.create_model(name, num_classes=5, **settings).train()
    return model, lambda: F.cross_entropy(
        model(torch.randn(2, 3, size, size)), torch.randint(5, (2,))
    )


def resnet50() -> Made:
    return of_images("resnet50")


def convnext() -> Made:
    return of_images("convnext_atto", drop_path_rate=0.1)


def efficientnet() -> Made:
    return of_images("efficientnet_b0", drop_rate=0.2)


def mobilenet() -> Made:
    return of_images("mobilenetv3_small_050")


def mixer() -> Made:
    return of_images("mixer_s32_224", img_size=32)


def resnet_compiled() -> Made:
    model, _ = of_images("resnet10t")
    compiled: Any = torch.compile(model, backend="eager")
    return model, lambda: F.cross_entropy(
        compiled(torch.randn(2, 3, 32, 32)), torch.randint(5, (2,))
    )


def unet() -> Made:
    import diffusers

    model = diffusers.UNet2DModel(
        sample_size=8, in_channels=1, out_channels=1, layers_per_block=1, block_out_channels=(8, 16),
        down_block_types=("DownBlock2D", "AttnDownBlock2D"), up_block_types=("AttnUpBlock2D", "UpBlock2D"),
        norm_num_groups=4, attention_head_dim=8,
    )  # fmt: skip

    def loss() -> Any:
        noise, moment = torch.randn(2, 1, 8, 8), torch.randint(100, (2,))
        return F.mse_loss(model(noise, moment).sample, torch.zeros_like(noise))

    return model, loss


def autoencoder() -> Made:
    import diffusers

    model = diffusers.AutoencoderKL(
        block_out_channels=(8,), norm_num_groups=4, latent_channels=2, sample_size=8
    )

    def loss() -> Any:
        image = torch.randn(1, 3, 8, 8)
        told = model.encode(image).latent_dist
        return F.mse_loss(model.decode(told.sample()).sample, image) + 1e-4 * told.kl().mean()

    return model, loss


def of_a_graph(kind: str, **settings: Any) -> Made:
    """A network of torch_geometric on a ring of nodes."""
    from torch_geometric.nn import models

    model = getattr(models, kind)(4, 8, 2, 3, **settings)
    nodes = torch.arange(10)
    edges = torch.stack([nodes, (nodes + 1) % 10])
    return model, lambda: F.cross_entropy(model(torch.randn(10, 4), edges), nodes % 3)


def graph_convolution() -> Made:
    return of_a_graph("GCN", dropout=0.2)


def graph_attention() -> Made:
    return of_a_graph("GAT", heads=2)


def ode() -> Made:
    import torchdiffeq

    net = torch.nn.Sequential(torch.nn.Linear(2, 4), torch.nn.Tanh(), torch.nn.Linear(4, 2))

    class Field(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.net = net

        def forward(self, t: Any, y: Any) -> Any:
            return self.net(y)

    model, times = Field(), torch.linspace(0, 1, 4)
    return (
        model,
        lambda: (
            torchdiffeq.odeint_adjoint(model, torch.randn(3, 2), times, method="rk4")[-1]
            .pow(2)
            .sum()
        ),
    )


#: By the library that each needs.
MODELS: dict[str, list[Callable[[], Made]]] = {
    "transformers": [
        gpt2, gpt2_checkpointed, gpt2_in_bfloat16, llama, mixtral, mamba, bert, t5, bart, vit, whisper, clip,
        wav2vec2,
    ],
    "peft": [gpt2_with_adapters],
    "timm": [resnet50, convnext, efficientnet, mobilenet, mixer, resnet_compiled],
    "diffusers": [unet, autoencoder],
    "torch_geometric": [graph_convolution, graph_attention],
    "torchdiffeq": [ode],
}  # fmt: skip
